/**
 * Calls as rows: columns in table order, to bind and to read back.
 *
 * @module
 */

import type {
  CallResult,
  CallState,
  ClosedCall,
  OpenCall,
  StoredCall,
  VideoWork,
} from "../../domain/call.ts";
import { type Unit, unitOf } from "../../domain/units.ts";
import { furtherText, readFurther } from "./call_further.ts";
import type { Capability } from "../../domain/capabilities.ts";
import {
  completionTokens,
  NO_WORK,
  promptTokens,
  type UsageSource,
  type Work,
  workOfTokens,
} from "../../domain/work.ts";
import { storableText } from "./row_of.ts";
import { type ColumnValue, rowChecksum } from "./row_checksum.ts";

/** The columns of `calls` that its checksum covers; the last four only where they have a value. */
export const CALL_COLUMNS = [
  "call_id",
  "request_id",
  "project_id",
  "key_id",
  "capability",
  "model",
  "provider",
  "route",
  "price_version",
  "held_e8",
  "unlimited",
  "stream",
  "opened_at",
  "state",
  "result",
  "closed_at",
  "first_byte_ms",
  "attempts",
  "prompt_tokens",
  "completion_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "usage_source",
  "images",
  "cost_e8",
  "sale_e8",
  "charged_e8",
  "loss_e8",
  "error_code",
  "video_size",
  "video_seconds",
  "video_percent",
  "further",
] as const;

/** Those that a hold fills, the first ones. */
export const HOLD_COLUMNS: readonly string[] = CALL_COLUMNS.slice(
  0,
  CALL_COLUMNS.indexOf("state"),
);

/** A row of `calls` read with `setReadBigInts(true)`. */
export type CallRow = { readonly [column in typeof CALL_COLUMNS[number]]: ColumnValue };

/** Values for an open call's row, checksum last. */
export function openCallValues(call: OpenCall): ColumnValue[] {
  return withRest(call, [...holdValues(call), ...STILL_OPEN]);
}

/** From `state` to `error_code`. */
const STILL_OPEN = ["open", null, null, null, 0, 0, 0, 0, 0, 0, null, 0, 0, 0, 0, 0, null] as const;

/** Values for a closed call's row, checksum last. Fractions of `firstByteMs` are rounded. */
export function closedCallValues(call: ClosedCall): ColumnValue[] {
  const { work } = call;
  return withRest(call, [
    ...holdValues(call),
    call.state,
    call.result,
    call.closedAt,
    call.firstByteMs === undefined ? null : Math.round(call.firstByteMs),
    call.attempts,
    promptTokens(work),
    completionTokens(work),
    work.cachedInput ?? 0,
    work.cacheWrite ?? 0,
    work.reasoning ?? 0,
    call.usageSource,
    work.image ?? 0,
    call.costE8,
    call.saleE8,
    call.chargedE8,
    call.lossE8,
    call.errorCode === undefined ? null : storableText(call.errorCode),
  ], work);
}

/** Values of {@linkcode HOLD_COLUMNS}. */
function holdValues(call: OpenCall): ColumnValue[] {
  return [
    call.callId,
    call.requestId,
    call.projectId,
    call.keyId,
    call.capability,
    call.model,
    call.provider,
    call.route,
    call.priceVersion,
    call.heldE8,
    call.unlimited ? 1 : 0,
    call.stream ? 1 : 0,
    call.openedAt,
  ];
}

/** Adds what few calls have, and the checksum. */
function withRest(
  call: OpenCall & Pick<ClosedCall, "failedAttempts">,
  values: ColumnValue[],
  work?: Work,
): ColumnValue[] {
  const { video } = call;
  const further = furtherText(work, call);
  if (video === undefined) values.push(null, null, null);
  else values.push(video.size, video.seconds, video.percent ?? null);
  values.push(further);
  values.push(
    further === null && video === undefined
      ? rowChecksum(values, values.length - 4)
      : callChecksum(values),
  );
  return values;
}

/**
 * The checksum of a stored row's values. What few calls have counts only where it is: rows of
 * older schema versions keep the checksums they have.
 */
export function callChecksum(values: readonly ColumnValue[]): number {
  if (values.at(-1) !== null) return rowChecksum(values);
  if (values.at(-2) !== null) return rowChecksum(values, values.length - 1);
  const isPlain = values.at(-4) === null && values.at(-3) === null;
  return rowChecksum(values, values.length - (isPlain ? 4 : 2));
}

/** The call that a row stores. */
export function callFromRow(row: CallRow): StoredCall {
  const further = readFurther(row.further as string | null);
  const open: OpenCall = {
    callId: Number(row.call_id),
    requestId: row.request_id as string,
    projectId: row.project_id as string,
    keyId: row.key_id as string,
    capability: row.capability as Capability,
    model: row.model as string,
    provider: row.provider as string,
    route: row.route as string,
    priceVersion: Number(row.price_version),
    heldE8: row.held_e8 as bigint,
    unlimited: row.unlimited === 1n,
    stream: row.stream === 1n,
    openedAt: Number(row.opened_at),
    ...(row.video_size === null ? undefined : { video: videoFromRow(row) }),
    ...(further.terms !== undefined && { terms: further.terms }),
    ...(further.tags !== undefined && { tags: further.tags }),
    ...(further.batchId !== undefined && { batchId: further.batchId }),
    ...(further.sticky !== undefined && { sticky: further.sticky }),
    ...(further.decision !== undefined && { decision: further.decision }),
  };
  if (row.state === "open") return { ...open, state: "open" };
  return {
    ...open,
    state: row.state as CallState,
    result: row.result as CallResult,
    closedAt: Number(row.closed_at),
    firstByteMs: row.first_byte_ms === null ? undefined : Number(row.first_byte_ms),
    attempts: Number(row.attempts),
    work: workFromRow(row, further.work),
    usageSource: row.usage_source as UsageSource,
    costE8: row.cost_e8 as bigint,
    saleE8: row.sale_e8 as bigint,
    chargedE8: row.charged_e8 as bigint,
    lossE8: row.loss_e8 as bigint,
    errorCode: (row.error_code ?? undefined) as string | undefined,
    ...(further.failedAttempts !== undefined && { failedAttempts: further.failedAttempts }),
  };
}

/** Of rows whose parts are larger than their whole, which earlier versions wrote, too. */
function workFromRow(row: CallRow, further: Work | undefined): Work {
  const work = workOfTokens({
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
    cachedTokens: Number(row.cached_tokens),
    cacheWriteTokens: Number(row.cache_write_tokens),
    reasoningTokens: Number(row.reasoning_tokens),
  }, further);
  const others = Object.entries(further ?? NO_WORK).filter(([unit]) =>
    unitOf(unit as Unit).side === undefined
  );
  if (row.images === 0n && others.length === 0) return work;
  const image = row.images === 0n ? undefined : { image: Number(row.images) };
  return { ...work, ...image, ...Object.fromEntries(others) };
}

function videoFromRow(row: CallRow): VideoWork {
  return {
    size: row.video_size as string,
    seconds: Number(row.video_seconds),
    ...(row.video_percent !== null && { percent: Number(row.video_percent) }),
  };
}
