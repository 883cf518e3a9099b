/**
 * What projects can spend: their purses, and what their budgets let them.
 *
 * @module
 */

import type { Balance } from "../domain/account.ts";
import type { ClosedCall, OpenCall } from "../domain/call.ts";
import { type HoldQuestion, OwnedHold } from "./hold.ts";
import { type Purse, Purses } from "./purses.ts";
import type { SpendBook } from "./spend_book.ts";

/** Balances and budgets, which every hold counts against and every close settles. */
export class Funds {
  readonly #purses: Purses;
  readonly #spending: SpendBook | undefined;

  /** @param spending Without one there are no budgets. */
  constructor(balances: readonly Balance[], spending: SpendBook | undefined) {
    this.#purses = new Purses(balances);
    this.#spending = spending;
  }

  /** The project's purse, made where there is none. */
  of(projectId: string): Purse {
    return this.#purses.of(projectId);
  }

  /** What a project can still spend, and what is held. */
  balanceOf(projectId: string): Balance {
    return this.#purses.balanceOf(projectId);
  }

  /**
   * The purse that a hold may be taken from; `undefined` when it does not fit.
   *
   * @param isFree Whether the call spends nothing whatever comes: no budget stands against it.
   * @throws {GatewayError} `insufficient_balance` when a budget is reached or a spend brake has
   * paused the project or key.
   */
  purseFor(call: HoldQuestion, isFree = false): Purse | undefined {
    if (!isFree) this.#spending?.admit(call);
    const purse = this.#purses.of(call.projectId);
    return purse.avail < call.heldE8 ? undefined : purse;
  }

  /** The hold of a call that its purse counts already; budgets count it from now on. */
  adopt(call: OpenCall): OwnedHold {
    return new OwnedHold(call, this.#spending?.reserve(call));
  }

  /** Settles a closed call's hold: what was not charged goes back. */
  apply(closed: ClosedCall): void {
    const purse = this.#purses.of(closed.projectId);
    purse.held -= closed.heldE8;
    purse.give(closed.heldE8 - closed.chargedE8);
    this.#spending?.add(closed);
  }

  /** What {@linkcode Funds.apply} has settled is written. */
  written(closed: ClosedCall): void {
    this.#spending?.written(closed);
  }

  /** Settles a closed call's hold that is written already. */
  applyWritten(closed: ClosedCall): void {
    this.apply(closed);
    this.written(closed);
  }

  /** Takes {@linkcode Funds.apply} back: the call counts as held again. */
  unapply(closed: ClosedCall): void {
    const purse = this.#purses.of(closed.projectId);
    purse.held += closed.heldE8;
    purse.give(closed.chargedE8 - closed.heldE8);
    this.#spending?.takeBack(closed);
  }
}
