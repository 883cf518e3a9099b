/**
 * What balances should be, by what was asked of the gateway and nothing that it says of money: credits
 * less what each call should cost.
 *
 * @module
 */

import type { BookRows, CallRow } from "../books/book_rows.ts";

/** What should become of something that was asked. */
export interface Expectation {
  readonly project: string;
  /** Of the script that it was asked with, if it was. */
  readonly tag?: number;
  /** What was asked, for the report. */
  readonly what: string;
  /** `x-request-id` of its answers, as far as there were any; all of them are one call, or none. */
  readonly requestIds: readonly string[];
  /** What it may cost, in 1e-8; several where a race decides. */
  readonly charges: readonly bigint[];
  /** What it may cost instead, where it depends on what other calls have left of the balance. */
  readonly between?: { readonly least: bigint; readonly most: bigint } | undefined;
}

/** Gathers expectations and compares them with the books. */
export class BalanceModel {
  readonly #credits = new Map<string, bigint>();
  readonly #expectations: Expectation[] = [];

  credit(project: string, amount: bigint): void {
    this.#credits.set(project, (this.#credits.get(project) ?? 0n) + amount);
  }

  expect(expectation: Expectation): void {
    this.#expectations.push(expectation);
  }

  /** The tag of each call that a caller has seen an answer of. */
  tags(): ReadonlyMap<string, number> {
    return new Map(
      this.#expectations.flatMap(({ tag, requestIds }) =>
        tag === undefined ? [] : requestIds.map((id) => [id, tag] as const)
      ),
    );
  }

  /** How many things were asked. */
  get size(): number {
    return this.#expectations.length;
  }

  /** Where the books are otherwise, a sentence each. */
  compare({ projects, calls }: BookRows): readonly string[] {
    const wrong: string[] = [];
    const byId = new Map(calls.map((call) => [call.requestId, call]));
    const spent = new Map<string, bigint>();
    for (const expectation of this.#expectations) {
      const { project, what, requestIds, charges, between } = expectation;
      const own = requestIds.flatMap((id) => byId.get(id) ?? []);
      for (const id of requestIds) byId.delete(id);
      const charge = own.reduce((sum, call) => sum + call.charged, 0n);
      if (own.length > 1) {
        wrong.push(`${what} is ${own.length} calls: ${own.map(inWords).join(", ")}`);
      }
      const isWithin = between !== undefined && charge >= between.least && charge <= between.most;
      if (!charges.includes(charge) && !isWithin) {
        wrong.push(`${what} costs ${charge}, not ${charges.join(" or ")}: ${own.map(inWords)}`);
      }
      if (own.some((call) => call.projectId !== project)) {
        wrong.push(
          `${what} is a call of ${own.map(({ projectId }) => projectId)}, not of ${project}`,
        );
      }
      // Where a race decided, the books say which way; else the model says it.
      const counted = charges.length === 1 && between === undefined ? charges[0]! : charge;
      spent.set(project, (spent.get(project) ?? 0n) + counted);
    }
    // What is left are calls whose callers never saw an answer.
    for (const call of byId.values()) {
      if (call.charged !== 0n) wrong.push(`a caller that saw no answer pays: ${inWords(call)}`);
    }
    for (const { id, avail, held } of projects) {
      const expected = (this.#credits.get(id) ?? 0n) - (spent.get(id) ?? 0n);
      if (avail !== expected || held !== 0n) {
        wrong.push(`${id} has ${avail} and ${held} held, not ${expected}`);
      }
    }
    return wrong;
  }
}

function inWords({ requestId, state, result, charged, usageSource }: CallRow): string {
  return `${requestId} (${state}, ${result}, ${usageSource}, charged ${charged})`;
}
