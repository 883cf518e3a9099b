/**
 * Reads the calls from the first to the last: their money, and whether each has
 * the ledger rows that it must have.
 *
 * @module
 */

import type { ClosedCall, StoredCall } from "../../domain/call.ts";
import type { PriceVersion } from "../../domain/price.ts";
import type { CatalogueStore } from "../../storage/ports/storage.ts";
import { checkCallMoney } from "./call_money.ts";
import type { Differences } from "../base/findings.ts";
import type { LedgerPass } from "./ledger_pass.ts";

/** Where the reading stands, and what it has met. */
export class CallPass {
  readonly #catalogue: Pick<CatalogueStore, "priceVersions">;
  readonly #ledger: LedgerPass;
  readonly #differences: Differences;
  readonly #prices = new Map<number, PriceVersion | undefined>();
  /** Closed calls whose rows were not met yet: they may have closed since the ledger was read. */
  #waiting: Pick<ClosedCall, "callId" | "lossE8">[] = [];
  readonly #sealedVersions: Set<number> = new Set();
  #lastCallId = 0;
  #calls = 0;

  constructor(
    catalogue: Pick<CatalogueStore, "priceVersions">,
    { ledger, differences }: { ledger: LedgerPass; differences: Differences },
  ) {
    this.#catalogue = catalogue;
    this.#ledger = ledger;
    this.#differences = differences;
  }

  /** The last call read. */
  get lastCallId(): number {
    return this.#lastCallId;
  }

  get calls(): number {
    return this.#calls;
  }

  /** How many price versions calls were priced with. */
  get priceVersions(): number {
    return this.#sealedVersions.union(new Set(this.#prices.keys())).size;
  }

  /** Notes calls that were checked before, and what they were priced with. */
  noteSealed(calls: bigint, priceVersions: readonly number[]): void {
    this.#calls += Number(calls);
    for (const version of priceVersions) this.#sealedVersions.add(version);
  }

  /** Takes the calls that follow the last one read. */
  async take(calls: readonly StoredCall[]): Promise<void> {
    await this.#loadPrices(calls);
    for (const call of calls) {
      this.#lastCallId = call.callId;
      this.#calls++;
      if (call.state === "open") {
        if (this.#ledger.outcomes.has(call.callId)) {
          const detail = "open, but the ledger has its settle or release row";
          this.#report(call.callId, "state", detail);
        }
        continue;
      }
      for (const difference of checkCallMoney(call, this.#prices.get(call.priceVersion))) {
        this.#differences.add(difference);
      }
      if (!this.#hasRows(call)) this.#waiting.push({ callId: call.callId, lossE8: call.lossE8 });
    }
  }

  /** Once the ledger is read to its end again, reports calls that lack a row. */
  finish(): void {
    for (const call of this.#waiting) {
      if (!this.#ledger.outcomes.has(call.callId)) {
        this.#report(call.callId, "state", "closed, but the ledger has no settle or release row");
      }
      if (call.lossE8 !== 0n && !this.#ledger.losses.has(call.callId)) {
        this.#report(call.callId, "loss_e8", "the ledger has no loss row");
      }
    }
    this.#waiting = [];
  }

  #hasRows({ callId, lossE8 }: ClosedCall): boolean {
    return this.#ledger.outcomes.has(callId) &&
      (lossE8 === 0n || this.#ledger.losses.has(callId));
  }

  async #loadPrices(calls: readonly StoredCall[]): Promise<void> {
    for (const version of new Set(calls.map(({ priceVersion }) => priceVersion))) {
      if (!this.#prices.has(version)) this.#prices.set(version, await this.#loadPrice(version));
    }
  }

  /** One at a time: a stored price that cannot be read must not hide the others. */
  async #loadPrice(version: number): Promise<PriceVersion | undefined> {
    try {
      return (await this.#catalogue.priceVersions([version]))[0];
    } catch (error) {
      const why = error instanceof Error ? error.message : error;
      this.#differences.note(["price_versions", version], `its prices cannot be read: ${why}`);
      return undefined;
    }
  }

  #report(callId: number, column: string, detail: string): void {
    this.#differences.note(["calls", callId], detail, { column });
  }
}
