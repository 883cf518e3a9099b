/**
 * Calls as flat values of one JSON list, in which they cross between threads: the runtime walks
 * through every object and list that crosses by itself, value by value.
 *
 * @module
 */

import type { OpenCall } from "../../domain/call.ts";

/** Of a call, what few have. */
type FurtherParts = Pick<
  OpenCall,
  "video" | "terms" | "tags" | "batchId" | "sticky" | "decision"
>;

/** Reads such values in their order. */
export class ValueReader {
  readonly #values: readonly unknown[];
  #at = 0;

  constructor(values: readonly unknown[]) {
    this.#values = values;
  }

  get ended(): boolean {
    return this.#at === this.#values.length;
  }

  next<Value>(): Value {
    return this.#values[this.#at++] as Value;
  }

  /** JSON has no `undefined`: it crosses as null. */
  nextOptional<Value>(): Value | undefined {
    return this.next<Value | null>() ?? undefined;
  }

  /** JSON has no big integers: an amount crosses as its digits. */
  nextAmount(): bigint {
    return BigInt(this.next<string>());
  }
}

/** Adds a call that is open to values that cross as JSON. */
export function pushOpenCall(values: unknown[], call: OpenCall): void {
  values.push(
    call.callId,
    call.requestId,
    call.projectId,
    call.keyId,
    call.capability,
    call.model,
    call.provider,
    call.route,
    call.priceVersion,
    call.heldE8.toString(),
    call.unlimited,
    call.stream,
    call.openedAt,
    furtherOf(call),
  );
}

/** What few calls have, as one value: nothing but `undefined` crosses for all others. */
function furtherOf(
  { video, terms, tags, batchId, sticky, decision }: OpenCall,
): FurtherParts | undefined {
  const has = (video ?? terms ?? tags ?? batchId ?? sticky ?? decision) !== undefined;
  return has ? { video, terms, tags, batchId, sticky, decision } : undefined;
}

/** Takes it, in the order of {@linkcode pushOpenCall}: an object's properties are evaluated as written. */
export function readOpenCall(values: ValueReader): OpenCall {
  const call: OpenCall = {
    callId: values.next(),
    requestId: values.next(),
    projectId: values.next(),
    keyId: values.next(),
    capability: values.next(),
    model: values.next(),
    provider: values.next(),
    route: values.next(),
    priceVersion: values.next(),
    heldE8: values.nextAmount(),
    unlimited: values.next(),
    stream: values.next(),
    openedAt: values.next(),
  };
  const further = values.nextOptional<FurtherParts>();
  return further === undefined ? call : { ...call, ...further };
}
