/**
 * The configuration that a process has in memory, where other nodes change it as well.
 *
 * @module
 */

import type { ConfigurationStep, ConfigurationVersion } from "../../storage/ports/configuration.ts";

/** What this process knows of the changes of all nodes. */
export interface Changes {
  /** What is in memory; `undefined` where nobody else changes anything. */
  readonly version: ConfigurationVersion | undefined;
  /** Takes in whatever is stored. */
  catchUp(): Promise<void>;
  /**
   * Before something is changed; `undefined` where its database has just answered.
   *
   * @throws {GatewayError} `storage_away` when it does not answer for a while; `internal_error` when what
   * others have changed cannot be taken in here.
   */
  whenAnswered(): Promise<void> | undefined;
  /**
   * Has a change of this process live when it resolves: by `put`, or, where others have changed
   * something as well, as everything is stored.
   *
   * @param step What the change is in storage; absent where it has no number.
   */
  settle(step: ConfigurationStep | undefined, put: () => void): Promise<void>;
  /** Before the database is closed: nothing is taken in any more. */
  stop(): void;
}

/** Nobody else changes anything. */
export const LONE_CHANGES: Changes = {
  version: undefined,
  catchUp: () => Promise.resolve(),
  whenAnswered: () => undefined,
  settle(_step, put) {
    put();
    return Promise.resolve();
  },
  stop() {},
};
