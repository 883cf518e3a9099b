/**
 * How much a node wishes for that needs more of what several share.
 *
 * @module
 */

import { type AmountE8, MAX_AMOUNT_E8 } from "../domain/money.ts";

/** A first wish is so many times what is needed. */
const FIRST_WISH = 20n;
/** Who asks again within so long wishes for twice as much. */
const SOON_MS = 1_000;

/** Grows while more is asked for again and again, so that there are few questions. */
export class Wish {
  #amountE8: AmountE8 = 0n;
  #askedAtMs = -Infinity;

  /**
   * What to wish for now.
   *
   * @param needE8 The least that is of use.
   * @param allE8 What all who wait need together.
   * @param nowMs Milliseconds that never go backwards.
   */
  next(needE8: AmountE8, allE8: AmountE8, nowMs: number): AmountE8 {
    const isSoon = nowMs - this.#askedAtMs < SOON_MS;
    const grownE8 = isSoon ? this.#amountE8 * 2n : needE8 * FIRST_WISH;
    const wishE8 = grownE8 < allE8 ? allE8 : grownE8;
    this.#askedAtMs = nowMs;
    return this.#amountE8 = wishE8 > MAX_AMOUNT_E8 ? MAX_AMOUNT_E8 : wishE8;
  }
}
