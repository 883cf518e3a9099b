/**
 * The invariants of money, read from the database file of a data dir.
 *
 * - I1: what the ledger adds up to is what each project has, available and held; in each of its books
 *   after every row.
 * - I2: no balance is negative.
 * - I3: every closed call has exactly one row that settles or releases it, and an open one none.
 * - I5: what is held is what the open calls hold; nothing once nothing is under way.
 * - I6: every call is priced as the oracle prices its usage, and charged by the rules.
 * - I7: no floating point number is stored anywhere.
 *
 * I4 needs the upstream's log: see `check_upstream.ts`.
 *
 * @module
 */

import { type BookRows, type CallRow, readBookRows } from "./book_rows.ts";
import { oraclePrice } from "./price_oracle.ts";

/** How to look. */
export interface BookOptions {
  /** Whether calls may be open: by default nothing is under way. */
  readonly mayBeOpen?: boolean;
}

/** What is wrong with the books of a data dir, a sentence each; none when all is well. */
export function checkBooks(dataDir: string, options: BookOptions = {}): readonly string[] {
  return checkBookRows(readBookRows(dataDir), options);
}

/** The same for rows that were read. */
export function checkBookRows(rows: BookRows, { mayBeOpen = false }: BookOptions = {}): string[] {
  return [
    ...checkSums(rows),
    ...checkClosings(rows),
    ...checkHeld(rows, mayBeOpen),
    ...rows.calls.flatMap((call) => checkMoney(call, rows)),
    ...rows.reals.map((place) => `I7: ${place} holds a floating point number`),
  ];
}

function checkSums({ projects, ledger }: BookRows): string[] {
  const wrong: string[] = [];
  const totals = new Map(projects.map(({ id }) => [id, 0n]));
  const last = new Map<bigint, bigint>();
  const sums = new Map<string, bigint>();
  for (const row of ledger) {
    const { book, seq, projectId } = row;
    const next = (last.get(book) ?? 0n) + 1n;
    last.set(book, seq);
    const name = `row ${seq} of book ${book}`;
    if (seq !== next) wrong.push(`I1: ${name} should be number ${next}`);
    const sign = row.kind === "credit" ? 1n : row.kind === "settle" ? -1n : 0n;
    const place = `${book} ${projectId}`;
    const sum = (sums.get(place) ?? 0n) + sign * row.amount;
    sums.set(place, sum);
    totals.set(projectId, (totals.get(projectId) ?? 0n) + sign * row.amount);
    if (sum !== row.balanceAfter) {
      wrong.push(`I1: after ${name} ${projectId} has ${row.balanceAfter}, not ${sum}`);
    }
  }
  for (const { id, avail, held } of projects) {
    if (avail + held !== totals.get(id)) {
      wrong.push(
        `I1: ${id} has ${avail} + ${held} held, and its ledger adds up to ${totals.get(id)}`,
      );
    }
    if (avail < 0n || held < 0n) wrong.push(`I2: ${id} has ${avail} + ${held} held`);
  }
  return wrong;
}

function checkClosings({ calls, ledger }: BookRows): string[] {
  const wrong: string[] = [];
  const closings = new Map<
    bigint,
    { settle: number; release: number; amount: bigint; loss: bigint }
  >();
  for (const { callId, kind, amount } of ledger) {
    if (callId === undefined) continue;
    const seen = closings.get(callId) ?? { settle: 0, release: 0, amount: 0n, loss: 0n };
    closings.set(callId, seen);
    if (kind === "loss") seen.loss += amount;
    else if (kind === "settle" || kind === "release") {
      seen[kind]++;
      seen.amount += amount;
    }
  }
  for (const { callId, requestId, state, charged, loss } of calls) {
    const seen = closings.get(callId) ?? { settle: 0, release: 0, amount: 0n, loss: 0n };
    closings.delete(callId);
    const expected = { settle: state === "settled" ? 1 : 0, release: state === "released" ? 1 : 0 };
    if (seen.settle !== expected.settle || seen.release !== expected.release) {
      wrong.push(
        `I3: ${requestId} is ${state}, with ${seen.settle} settles and ${seen.release} releases`,
      );
    }
    if (seen.amount !== charged || seen.loss !== loss) {
      wrong.push(
        `I3: ${requestId} is charged ${charged} with a loss of ${loss}, ` +
          `its ledger rows say ${seen.amount} and ${seen.loss}`,
      );
    }
  }
  for (const callId of closings.keys()) {
    wrong.push(`I3: the ledger tells of call ${callId}, nobody else`);
  }
  return wrong;
}

function checkHeld({ projects, calls }: BookRows, mayBeOpen: boolean): string[] {
  const wrong: string[] = [];
  const open = calls.filter(({ state }) => state === "open");
  if (!mayBeOpen && open.length > 0) {
    wrong.push(`I5: ${open.length} calls are open, such as ${open[0]!.requestId}`);
  }
  for (const { id, held } of projects) {
    const sum = open.filter((call) => call.projectId === id)
      .reduce((total, call) => total + call.held, 0n);
    if (held !== sum) wrong.push(`I5: ${id} has ${held} held, and its open calls hold ${sum}`);
  }
  return wrong;
}

/** I6: the price of what was used, and the rules of who pays it. */
function checkMoney(call: CallRow, { prices }: BookRows): string[] {
  if (call.state === "open") return [];
  const wrong: string[] = [];
  const { requestId, state, sale, cost, charged, loss, held, unlimited } = call;
  if (call.usageSource !== "none") {
    const version = prices.find((price) => price.version === call.priceVersion);
    const expected = oraclePrice({
      cost: version?.cost === undefined ? undefined : JSON.parse(version.cost),
      sale: version?.sale === undefined ? undefined : JSON.parse(version.sale),
    }, call);
    if (version === undefined || sale !== expected.sale || cost !== expected.cost) {
      wrong.push(
        `I6: ${requestId} is priced at ${sale} with a cost of ${cost}, ` +
          `not at ${expected.sale} and ${expected.cost}`,
      );
    }
  } else if (sale !== 0n || cost !== 0n) {
    wrong.push(`I6: ${requestId} used nothing and is priced at ${sale} with a cost of ${cost}`);
  }
  const pays = state === "settled" && !unlimited;
  const expected = pays ? (sale < held ? sale : held) : 0n;
  if (charged !== expected) wrong.push(`I6: ${requestId} is charged ${charged}, not ${expected}`);
  // A call that a crash cut off loses what it held: what it used is unknown.
  const isCutOff = call.result === "gateway_stopped" && call.usageSource === "none" &&
    call.attempts === 0n;
  const lost = isCutOff ? held : sale - charged;
  const expectedLoss = state === "settled" && unlimited ? 0n : lost;
  if (loss !== expectedLoss) {
    wrong.push(`I6: ${requestId} has a loss of ${loss}, not ${expectedLoss}`);
  }
  return wrong;
}
