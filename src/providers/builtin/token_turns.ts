/**
 * Tokens of long texts, counted in turns: a prompt of many megabytes
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

/** The first tokens of a text. They are not kept: a token takes several times its characters. */
export interface TokenSpan {
  readonly text: string;
  /** Where they end. */
  readonly end: number;
  /** How many they are. */
  readonly tokens: number;
}

/** No tokens. */
export const NO_TOKENS: TokenSpan = { text: "", end: 0, tokens: 0 };

/** The text of a span in pieces of whole tokens, each of as many as `tokensNext` says at its turn. */
export function* piecesOf(
  { text, end }: TokenSpan,
  tokensNext: () => number,
): Generator<{ readonly text: string; readonly tokens: number }> {
  for (let at = 0; at < end;) {
    const start = at;
    let tokens = 0;
    for (const most = tokensNext(); tokens < most && at < end; tokens++) at = endOfToken(text, at);
    yield { text: text.slice(start, at), tokens };
  }
}

/** The text of a span, in one piece. */
export function textOfSpan({ text, end }: TokenSpan): string {
  return end === text.length ? text : text.slice(0, end);
}

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
   * The first tokens of a text: how many, and where the last of them ends.
   *
   * @param most How many at most, and within how many characters; nothing behind them is looked at.
   * @throws {UpstreamError} `aborted` by the signal.
   */
  async take(
    text: string,
    most: { readonly tokens: number; readonly characters: number },
  ): Promise<TokenSpan> {
    const last = Math.min(text.length, most.characters);
    let tokens = 0;
    let at = 0;
    for (; at < text.length && tokens < most.tokens; tokens++) {
      const end = endOfToken(text, at);
      if (end > last) break;
      if (this.#spend(end - at)) await this.#endTurn();
      at = end;
    }
    return { text, end: at, tokens };
  }

  /**
   * Does work in its steps.
   *
   * @param characters What a step counts as.
   * @throws {UpstreamError} `aborted` by the signal; what a step throws.
   */
  async finish<Result>(steps: Generator<void, Result>, characters: number): Promise<Result> {
    for (let step = steps.next();; step = steps.next()) {
      if (step.done === true) return step.value;
      if (this.#spend(characters)) await this.#endTurn();
    }
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
