/**
 * Whether the guard's host is one that may be asked: a name that leads to a private address has each
 * request answered 503, and nobody else would say why.
 *
 * @module
 */

import { isPublicHost } from "../providers/transport/connect_public.ts";
import type { Log } from "../telemetry/log.ts";

const MESSAGE =
  "guard_url leads to an address that is not on the open internet, so nothing is asked of it: set " +
  "--webhook-private-addresses true, or give it a public address";

export class GuardAddress {
  #warnings: readonly string[] = [];

  /** What is known so far: `doctor` and `/readyz` tell it. */
  warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Looks once, at the start: calls look by themselves. What cannot be looked up fails by itself, too. */
  async look(
    { url, allowsPrivate, log, isPublic = isPublicHost }: {
      readonly url: string;
      readonly allowsPrivate: boolean;
      readonly log: Pick<Log, "warn">;
      readonly isPublic?: (hostname: string) => Promise<boolean>;
    },
  ): Promise<void> {
    if (allowsPrivate) return;
    const { hostname, host } = new URL(url);
    try {
      if (await isPublic(hostname)) return;
      this.#warnings = [MESSAGE];
      log.warn("guard_private", { host, message: MESSAGE });
    } catch (error) {
      log.warn("guard_unknown", { host, message: `The guard's name has no address: ${error}` });
    }
  }
}
