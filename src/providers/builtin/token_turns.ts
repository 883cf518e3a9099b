/**
 * Tokens of long texts, counted and split in turns: a prompt of many megabytes
 * is work for seconds, in which every other call has its turn.
 *
 * @module
 */

import { endOfToken } from "../../domain/tokenizer.ts";
import { giveWayToAll, throwIfAborted } from "./pace.ts";

/** Some milliseconds of work. */
const CHARACTERS_PER_TURN = 50_000;
/** What any text costs, however short. */
const CHARACTERS_PER_TEXT = 10;

/** The turns of one call. */
export class TokenTurns {
  readonly #signal: AbortSignal;
  #left = CHARACTERS_PER_TURN;

  /** @param signal Ends the work. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * How many tokens a text has.
   *
   * @throws {UpstreamError} `aborted` by the signal.
   */
  async count(text: string): Promise<number> {
    let count = 0;
    for (let at = 0; at < text.length; count++) {
      const end = endOfToken(text, at);
      if (this.#spend(end - at)) await this.#endTurn();
      at = end;
    }
    if (this.#spend(CHARACTERS_PER_TEXT)) await this.#endTurn();
    return count;
  }

  /**
   * The first tokens of a text.
   *
   * @param most How many at most; nothing behind them is looked at.
   * @throws {UpstreamError} `aborted` by the signal.
   */
  async split(text: string, most: number): Promise<string[]> {
    const tokens: string[] = [];
    for (let at = 0; at < text.length && tokens.length < most;) {
      const end = endOfToken(text, at);
      tokens.push(text.slice(at, end));
      if (this.#spend(end - at)) await this.#endTurn();
      at = end;
    }
    return tokens;
  }

  /** Whether the turn is over. */
  #spend(characters: number): boolean {
    this.#left -= characters;
    return this.#left <= 0;
  }

  async #endTurn(): Promise<void> {
    await giveWayToAll();
    throwIfAborted(this.#signal);
    this.#left = CHARACTERS_PER_TURN;
  }
}
