/**
 * W3C Trace Context, level 1: which trace a request is part of.
 *
 * @module
 */

import { randomBytes } from "node:crypto";

/** Where a span belongs. */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** The span that caused this one: 16 digits. */
  readonly parentId: string | undefined;
  readonly isSampled: boolean;
  /** What vendors add, passed on as it came. */
  readonly state: string | undefined;
}

const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
/** The least that everybody has to pass on; longer ones are left out (section 3.3.1.5). */
const LONGEST_STATE = 512;

/**
 * Reads `traceparent` and `tracestate`; `undefined` where there is none, or it is wrong: then a new
 * trace begins, as the specification asks for.
 */
export function readTraceContext(
  parent: string | null,
  state: string | null,
): TraceContext | undefined {
  const [, version, traceId, parentId, flags, more] = PARENT.exec(parent?.trim() ?? "") ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) {
    return undefined;
  }
  if (ZEROS.test(traceId!) || ZEROS.test(parentId!)) return undefined;
  const isPassedOn = state !== null && state.length <= LONGEST_STATE &&
    /^[\x20-\x7e]+$/.test(state);
  return {
    traceId: traceId!,
    parentId: parentId!,
    isSampled: (parseInt(flags!, 16) & 1) === 1,
    state: isPassedOn ? state : undefined,
  };
}

/** As an upstream gets it. */
export function writeTraceParent(
  { traceId, isSampled }: Pick<TraceContext, "traceId" | "isSampled">,
  spanId: string,
): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** A new trace, taken with a probability of `ratio`. */
export function newTrace(ratio: number, random: () => number): TraceContext {
  return {
    traceId: randomBytes(16).toString("hex"),
    parentId: undefined,
    isSampled: random() < ratio,
    state: undefined,
  };
}

export function newSpanId(): string {
  return randomBytes(8).toString("hex");
}
