/**
 * The record of a call that got the answer of an equal one: nobody was asked, and nobody pays.
 *
 * @module
 */

import type { Caller } from "../accounts/key_directory.ts";
import type { CallLedger } from "../accounts/call_ledger.ts";
import type { Capability } from "../domain/capabilities.ts";
import type { Model } from "../domain/catalogue.ts";
import type { Clock } from "../domain/clock.ts";
import type { RequestIdentity } from "../domain/ids.ts";
import type { Tags } from "../domain/tags.ts";
import { NO_WORK } from "../domain/work.ts";
import { GatewayError } from "../errors.ts";
import type { CallRecord } from "../metering/call_record.ts";

/** Stands for provider and route, which no catalogue can name so: reports count these calls apart. */
export const CACHE = "(cache)";

/** Such a call. */
export interface CachedCall {
  readonly identity: RequestIdentity;
  readonly caller: Caller;
  readonly capability: Capability;
  readonly model: Model;
  readonly stream: boolean;
  readonly tags?: Tags | undefined;
  /** When the request arrived, monotonic milliseconds. */
  readonly arrivedAt: number;
  /** Of whoever asks. */
  readonly address?: string | undefined;
}

/** What writes it down. */
export interface CachedCallDeps {
  readonly ledger: CallLedger;
  readonly clock: Clock;
  readonly onCall: (record: CallRecord) => void;
}

/**
 * Writes it down; resolves when that is done. A caller whose budget is reached is given it too: nothing
 * is spent.
 *
 * @throws {GatewayError} At once: `storage_full` while nothing can be written, `insufficient_balance`
 * where the project owes something.
 */
export function recordCachedCall(
  { ledger, clock, onCall }: CachedCallDeps,
  { identity, caller: { project, key }, model, arrivedAt, address, ...call }: CachedCall,
): Promise<void> {
  const [route] = model.routes;
  if (route === undefined) return Promise.resolve();
  const hold = ledger.hold({
    ...identity,
    ...call,
    projectId: project.id,
    keyId: key.id,
    model: model.id,
    provider: CACHE,
    route: CACHE,
    priceVersion: route.prices.version,
    heldE8: 0n,
    unlimited: project.unlimited,
    openedAt: Math.round(clock.now() - (clock.monotonic() - arrivedAt)),
  }, true);
  if (hold === undefined) {
    throw new GatewayError(
      "insufficient_balance",
      "The project has nothing left: ask the operator",
    );
  }
  return ledger.close(hold, {
    result: "completed",
    billable: false,
    work: NO_WORK,
    usageSource: "none",
    costE8: 0n,
    saleE8: 0n,
    firstByteMs: undefined,
    attempts: 0,
    errorCode: undefined,
  }).then((closed) => {
    const milliseconds = Math.round(clock.monotonic() - arrivedAt);
    onCall({ call: closed, status: 200, milliseconds, address });
  });
}
