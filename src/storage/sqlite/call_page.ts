/**
 * Pages of calls by what is known of them. There is no index of that, as every call would have to
 * write it: rows are looked at in the order of their numbers, newest first, in short steps, until there
 * are enough or it was long enough. Times are found by halving, as numbers rise with time.
 *
 * @module
 */

import { FURTHER_MEMBER } from "./further_member.ts";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { StoredCall } from "../../domain/call.ts";
import type { CallPage, CallPageQuery } from "../ports/call_pages.ts";
import { CALL_COLUMNS, callFromRow, type CallRow } from "../rows/call_row.ts";

/** Rows that one statement looks at, some milliseconds. */
const STEP_ROWS = 5_000;

/**
 * A call is numbered when its request arrives and opened when its body is there: a later number may
 * have an earlier time, by no more than a body takes.
 */
const LATEST_BODY_MS = 15 * 60_000;

/** What a test may choose otherwise. */
export interface CallPageOptions {
  /** Milliseconds that only go forward. */
  readonly now?: () => number;
  readonly stepRows?: number;
}

/** A condition and what it compares with. */
type Condition = readonly [sql: string, ...values: readonly SQLInputValue[]];

/** Yields between steps. */
export function* callPageSteps(
  database: DatabaseSync,
  query: CallPageQuery,
  { now = () => performance.now(), stepRows = STEP_ROWS }: CallPageOptions = {},
): Generator<void, CallPage> {
  const endsAt = now() + query.withinMs;
  const filters = conditionsOf(query);
  const conditions = filters.map(([sql]) => `AND ${sql}`).join(" ");
  const found = database.prepare(
    `SELECT ${CALL_COLUMNS.join(", ")} FROM calls WHERE call_id >= ? AND call_id < ?
     ${conditions} ORDER BY call_id DESC LIMIT ?`,
  );
  found.setReadBigInts(true);
  // The last row of a step: some rows on, or the first of all.
  const step = database.prepare(
    `SELECT call_id, request_id, opened_at FROM calls WHERE call_id < ?
     ORDER BY call_id DESC LIMIT 1 OFFSET ?`,
  );
  const least = database.prepare("SELECT min(call_id) AS n FROM calls").get()!.n as number | null;
  const values = filters.flatMap(([, ...own]) => own);
  const places = new CallPlaces(database);
  const { callId } = query;
  const since = query.fromMs === undefined
    ? least ?? 0
    : places.firstSince(query.fromMs - LATEST_BODY_MS);
  const end = callId === undefined ? since : Math.max(since, callId);
  const newest = query.toMs === undefined
    ? Number.MAX_SAFE_INTEGER
    : places.firstSince(query.toMs + LATEST_BODY_MS);
  const behind = callId === undefined ? Number.MAX_SAFE_INTEGER : callId + 1;
  let before = Math.min(query.beforeCallId ?? Number.MAX_SAFE_INTEGER, newest, behind);
  const calls: StoredCall[] = [];
  for (let rows = stepRows; before > end; rows += stepRows) {
    const last = step.get(before, stepRows - 1);
    const from = Math.max(end, last === undefined ? 0 : last.call_id as number);
    const some = found.all(from, before, ...values, query.limit - calls.length);
    for (const row of some) calls.push(callFromRow(row as unknown as CallRow));
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
    yield;
  }
  return { calls, cut: undefined };
}

/** Reads a page at once, in this thread. */
export function readCallPage(
  database: DatabaseSync,
  query: CallPageQuery,
  options?: CallPageOptions,
): CallPage {
  const steps = callPageSteps(database, query, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Numbers of calls by time. */
class CallPlaces {
  readonly #next: StatementSync;
  readonly #last: number;

  constructor(database: DatabaseSync) {
    this.#next = database.prepare(
      "SELECT call_id, opened_at FROM calls WHERE call_id >= ? ORDER BY call_id LIMIT 1",
    );
    this.#last = Number(database.prepare("SELECT max(call_id) AS n FROM calls").get()!.n ?? 0);
  }

  /** The smallest number from which on calls were opened since a time. */
  firstSince(ms: number): number {
    let low = 0;
    let high = this.#last + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const row = this.#next.get(middle);
      if (row === undefined || (row.opened_at as number) >= ms) high = middle;
      else low = (row.call_id as number) + 1;
    }
    return low;
  }
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
    ...given(outcomes, (some): Condition => {
      const places = some.map(() => "?").join(", ");
      return [`coalesce(result, 'open') IN (${places})`, ...some];
    }),
    ...given(idText, (text): Condition => ["instr(request_id, ?) > 0", text]),
    ...given(slowerThanMs, (ms): Condition => ["closed_at - opened_at > ?", ms]),
    ...given(dearerThanE8, (amount): Condition => ["sale_e8 > ?", amount]),
    ...given(fromMs, (ms): Condition => ["opened_at >= ?", ms]),
    ...given(toMs, (ms): Condition => ["opened_at < ?", ms]),
    ...given(query.batchId, (id): Condition => [`${FURTHER_MEMBER} = ?`, "$.batchId", id]),
    ...Object.entries(tags).map(([name, value]): Condition => [
      `${FURTHER_MEMBER} = ?`,
      `$.tags."${name.replaceAll('"', "")}"`,
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
