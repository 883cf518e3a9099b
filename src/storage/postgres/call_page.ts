/**
 * Pages of calls by what is known of them. There is no index of that, as every call would have to
 * write it: rows are looked at in the order of their numbers, newest first, in steps, until there are
 * enough or it was long enough. Times are found by halving, as numbers rise with time.
 *
 * @module
 */

import type { StoredCall } from "../../domain/call.ts";
import type { CallPage, CallPageQuery } from "../ports/call_pages.ts";
import { CALL_COLUMNS } from "../rows/call_row.ts";
import type { Ask, AskedValue } from "./ask.ts";
import { toCalls } from "./stored_calls.ts";

/** Rows that one statement looks at, some milliseconds. */
const STEP_ROWS = 5_000;

/**
 * A call is numbered when its request arrives and opened when its body is there: a later number may
 * have an earlier time, by no more than a body takes.
 */
const LATEST_BODY_MS = 15 * 60_000;

/** A condition and what it compares with. */
type Condition = readonly [sql: string, ...values: readonly AskedValue[]];

/** What a test may choose otherwise. */
export interface CallPageOptions {
  /** Milliseconds that only go forward. */
  readonly now?: () => number;
  readonly stepRows?: number;
}

/** Reads a page. */
export async function readCallPage(
  ask: Ask,
  query: CallPageQuery,
  { now = () => performance.now(), stepRows = STEP_ROWS }: CallPageOptions = {},
): Promise<CallPage> {
  const endsAt = now() + query.withinMs;
  const filters = conditionsOf(query);
  const conditions = filters.map(([sql]) => `AND ${sql}`).join(" ");
  const values = filters.flatMap(([, ...own]) => own);
  const { callId } = query;
  const { least, last: newestId } = (await ask.get(
    "SELECT coalesce(min(call_id), 0) AS least, coalesce(max(call_id), 0) AS last FROM calls",
  ))! as unknown as { readonly least: number; readonly last: number };
  const firstSince = (ms: number) => firstCallSince(ask, { ms, last: newestId });
  const since = query.fromMs === undefined
    ? least
    : await firstSince(query.fromMs - LATEST_BODY_MS);
  const end = callId === undefined ? since : Math.max(since, callId);
  const newest = query.toMs === undefined
    ? Number.MAX_SAFE_INTEGER
    : await firstSince(query.toMs + LATEST_BODY_MS);
  const behind = callId === undefined ? Number.MAX_SAFE_INTEGER : callId + 1;
  let before = Math.min(query.beforeCallId ?? Number.MAX_SAFE_INTEGER, newest, behind);
  const calls: StoredCall[] = [];
  for (let rows = stepRows; before > end; rows += stepRows) {
    // The last row of a step: some rows on, or the first of all.
    const last = await ask.get(
      `SELECT call_id, request_id, opened_at FROM calls WHERE call_id < ?
       ORDER BY call_id DESC LIMIT 1 OFFSET ?`,
      before,
      stepRows - 1,
    );
    const from = Math.max(end, last === undefined ? 0 : last.call_id as number);
    const some = await ask.allWide(
      `SELECT ${CALL_COLUMNS.join(", ")} FROM calls WHERE call_id >= ? AND call_id < ?
       ${conditions} ORDER BY call_id DESC LIMIT ?`,
      from,
      before,
      ...values,
      query.limit - calls.length,
    );
    for (const call of toCalls(some)) calls.push(call);
    before = from;
    if (last === undefined || calls.length >= query.limit) break;
    if (before > end && (rows >= query.mostRows || now() >= endsAt)) {
      const cut = {
        callId: before,
        requestId: last.request_id as string,
        openedAt: last.opened_at as number,
        rows,
      };
      return { calls, cut };
    }
  }
  return { calls, cut: undefined };
}

/** The smallest number from which on calls were opened since a time. */
async function firstCallSince(
  ask: Ask,
  { ms, last }: { readonly ms: number; readonly last: number },
): Promise<number> {
  let low = 0;
  let high = last + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await ask.get(
      "SELECT call_id, opened_at FROM calls WHERE call_id >= ? ORDER BY call_id LIMIT 1",
      middle,
    );
    if (row === undefined || (row.opened_at as number) >= ms) high = middle;
    else low = (row.call_id as number) + 1;
  }
  return low;
}

function conditionsOf(query: CallPageQuery): readonly Condition[] {
  const { outcomes, idText, slowerThanMs, dearerThanE8, fromMs, toMs, tags = {} } = query;
  return [
    ...isValue("project_id", query.projectId),
    ...isValue("key_id", query.keyId),
    ...isValue("capability", query.capability),
    ...isValue("model", query.model),
    ...isValue("provider", query.provider),
    ...isValue("route", query.route),
    ...isValue("error_code", query.errorCode),
    ...given(outcomes, (some): Condition => ["coalesce(result, 'open') = ANY(?)", some]),
    ...given(idText, (text): Condition => ["strpos(request_id, ?) > 0", text]),
    ...given(slowerThanMs, (ms): Condition => ["closed_at - opened_at > ?", ms]),
    ...given(dearerThanE8, (amount): Condition => ["sale_e8 > ?", amount]),
    ...given(fromMs, (ms): Condition => ["opened_at >= ?", ms]),
    ...given(toMs, (ms): Condition => ["opened_at < ?", ms]),
    ...given(query.batchId, (id): Condition => ["further::json ->> 'batchId' = ?", id]),
    ...Object.entries(tags).map(([name, value]): Condition => [
      "further::json -> 'tags' ->> ?::text = ?",
      name,
      value,
    ]),
  ];
}

function isValue(column: string, value: string | undefined): readonly Condition[] {
  return value === undefined ? [] : [[`${column} = ?`, value]];
}

function given<Value>(
  value: Value | undefined,
  condition: (value: Value) => Condition,
): readonly Condition[] {
  return value === undefined ? [] : [condition(value)];
}
