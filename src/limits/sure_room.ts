/**
 * Room on several routes at once, told without a look at each: what was left on the fullest of them when they
 * were looked at last is not used up before as much has been let in since, wherever it went.
 *
 * @module
 */

/** What routes with limits have let in so far, all together. It only grows. */
export class Admitted {
  calls = 0;
  tokens = 0;
}

/** What is left of routes' limits: of the fullest of them. */
export interface RoomLeft {
  readonly calls: number;
  readonly tokens: number;
}

/** What is known of some routes, which nobody else counts on. */
export class SureRoom {
  /** Of {@linkcode Admitted}: until then there is room. */
  #calls = 0;
  #tokens = 0;
  /** Until then it is of no use to look again. */
  #fullUntil = -Infinity;

  /** Whether each of the routes surely takes a call of so many tokens. */
  has(tokens: number, admitted: Admitted): boolean {
    return admitted.calls < this.#calls && admitted.tokens + tokens <= this.#tokens;
  }

  /** Whether one of them had no room for a call when they were looked at in this second. */
  isFullIn(second: number): boolean {
    return second < this.#fullUntil;
  }

  /** Takes in what is left now; says whether each has room for a call of so many tokens. */
  learn(left: RoomLeft, tokens: number, admitted: Admitted, second: number): boolean {
    this.#calls = admitted.calls + left.calls;
    this.#tokens = admitted.tokens + left.tokens;
    const hasRoom = this.has(tokens, admitted);
    if (!hasRoom) this.#fullUntil = second + 1;
    return hasRoom;
  }
}
