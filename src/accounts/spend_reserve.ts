/**
 * What a call under way counts against the budgets of its project and key.
 *
 * @module
 */

import type { OpenCall } from "../domain/call.ts";
import type { AmountE8 } from "../domain/money.ts";
import type { Spender } from "./spender.ts";

/** One call's. */
export interface SpendReserve {
  /**
   * Whether the amount may be replaced. By a larger one it may not be once the others have
   * reached a budget: a dearer route would overshoot that by more than one call.
   */
  mayMove(amountE8: AmountE8): boolean;
  /** Replaces the amount. */
  move(amountE8: AmountE8): void;
  /** The call is over: what it has spent is known. Once. */
  end(): void;
}

/** What an open call counts: its hold, or what stands for it. */
export function reservedE8({ heldE8, reservedE8 }: Pick<OpenCall, "heldE8" | "reservedE8">) {
  return reservedE8 ?? heldE8;
}

/** Whether so much of a call may become so much more as far as a subject's budgets go. */
export type HasRoom = (spender: Spender, ownE8: AmountE8, moreE8: AmountE8) => boolean;

export class Reserve implements SpendReserve {
  readonly #spenders: readonly Spender[];
  readonly #hasRoom: HasRoom;
  #amountE8: AmountE8 = 0n;

  constructor(spenders: readonly Spender[], { amountE8, hasRoom }: {
    readonly amountE8: AmountE8;
    readonly hasRoom: HasRoom;
  }) {
    this.#spenders = spenders;
    this.#hasRoom = hasRoom;
    this.move(amountE8);
  }

  mayMove(amountE8: AmountE8): boolean {
    const ownE8 = this.#amountE8;
    const moreE8 = amountE8 - ownE8;
    return moreE8 <= 0n ||
      this.#spenders.every((spender) => this.#hasRoom(spender, ownE8, moreE8));
  }

  move(amountE8: AmountE8): void {
    const more = amountE8 - this.#amountE8;
    if (more === 0n) return;
    this.#amountE8 = amountE8;
    for (const spender of this.#spenders) spender.openE8 += more;
  }

  end(): void {
    this.move(0n);
  }
}
