/**
 * What several nodes have of balances that they share, as far as this one knows.
 *
 * @module
 */

import type { Balance } from "../domain/account.ts";
import type { AmountE8 } from "../domain/money.ts";

/** How balances are read. */
export interface KnownBalancesOptions {
  /** Balances with what all nodes have of them; of all projects by default. */
  readonly read: (projectIds?: readonly string[]) => Promise<readonly Balance[]>;
  readonly onTrouble: (message: string) => void;
}

/** Balances as they were read last. */
export class KnownBalances {
  readonly #options: KnownBalancesOptions;
  readonly #known = new Map<string, Balance>();

  constructor(options: KnownBalancesOptions) {
    this.#options = options;
  }

  /** `undefined` for one that was never read. */
  of(projectId: string): Balance | undefined {
    return this.#known.get(projectId);
  }

  /** Reads them anew; says whether it could. What cannot be read stays as it was, and that is told. */
  async refresh(projectIds?: readonly string[]): Promise<boolean> {
    try {
      for (const balance of await this.#options.read(projectIds)) {
        this.#known.set(balance.projectId, balance);
      }
      return true;
    } catch (error) {
      this.#options.onTrouble(`Cannot read balances: ${String(error)}`);
      return false;
    }
  }

  /** Notes what was learned as more of one was asked for: whoever is refused is told what there is. */
  note(own: Balance, elsewhereE8: AmountE8): void {
    const { projectId, avail, held } = own;
    this.#known.set(projectId, {
      projectId,
      // Of others' holds nobody has told.
      held: this.#known.get(projectId)?.held ?? held,
      avail: avail + elsewhereE8,
    });
  }
}
