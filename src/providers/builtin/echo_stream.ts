/**
 * An answer of `echo-1` as a stream: one token per chunk, of a long answer later several, without
 * delay unless a fault asks for one.
 *
 * @module
 */

import { usageBody } from "../../dialects/openai/normalise_usage.ts";
import type { AnswerEvent, AnswerStream } from "../../dialects/base/answer.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Work } from "../../domain/work.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { ChatFaults } from "../../domain/chat_faults.ts";
import { giveWay, throwIfAborted } from "./pace.ts";
import type { Patience } from "./patience.ts";
import type { PlannedChoice } from "./plan_echo.ts";
import { piecesOf } from "./token_turns.ts";

/** Tokens given per read, so that one long answer does not keep others waiting. */
const TOKENS_PER_READ = 16;

/**
 * A chunk has some thirty times the characters of a token. After so many of one token each they have
 * several, so that a long prompt cannot ask for thirty times its size of small events.
 */
const CHUNKS_OF_ONE_TOKEN = 2_000;
const TOKENS_OF_LATER_CHUNKS = 32;

/** A call whose answer is decided, and is to be delivered. */
export interface Begun {
  readonly choices: readonly PlannedChoice[];
  readonly usage: Work;
  /** Fields of the answer, or of every chunk. */
  readonly head: JsonObject;
  readonly patience: Patience;
}

/** What comes next: a delta, and how many tokens it carries. */
interface Delta {
  readonly choice: JsonObject;
  readonly text: string;
  readonly tokens: number;
}

/** The stream of one call. */
export class EchoStream implements AnswerStream {
  readonly #begun: Begun;
  readonly #faults: ChatFaults;
  readonly #deltas: Iterator<Delta>;
  #coming: Delta | undefined;
  #sent = 0;
  #isFinished = false;

  constructor(begun: Begun, faults: ChatFaults) {
    this.#begun = begun;
    this.#faults = faults;
    this.#deltas = deltasOf(begun.choices, countsTokens(faults) ? Infinity : CHUNKS_OF_ONE_TOKEN);
    this.#advance();
  }

  async next(): Promise<readonly AnswerEvent[] | undefined> {
    throwIfAborted(this.#begun.patience.signal);
    if (this.#isFinished) return undefined;
    await this.#sufferFaults();
    if (this.#coming === undefined) return this.#end();
    if (this.#faults.tokenMs > 0) {
      if (this.#coming.tokens > 0) await this.#begun.patience.wait(this.#faults.tokenMs);
      return [this.#take()];
    }
    await giveWay();
    throwIfAborted(this.#begun.patience.signal);
    const events: AnswerEvent[] = [];
    while (events.length < TOKENS_PER_READ && this.#coming !== undefined && !this.#isFaultDue()) {
      events.push(this.#take());
    }
    return events;
  }

  cancel(): void {
    this.#begun.patience.end();
  }

  #advance(): void {
    const { done, value } = this.#deltas.next();
    this.#coming = done === true ? undefined : value;
  }

  #take(): AnswerEvent {
    const { choice, text, tokens } = this.#coming!;
    this.#sent += tokens;
    this.#advance();
    return this.#event({ choices: [choice], text, finished: choice.finish_reason !== null });
  }

  /** A stall or cut comes after its number of tokens, or before the finish of a shorter answer. */
  #isFaultDue(): boolean {
    const isLast = this.#coming === undefined || this.#coming.choice.finish_reason !== null;
    const { stallAfter = Infinity, cutAfter = Infinity } = this.#faults;
    return this.#sent >= Math.min(stallAfter, cutAfter) ||
      (isLast && (stallAfter < Infinity || cutAfter < Infinity));
  }

  async #sufferFaults(): Promise<void> {
    if (!this.#isFaultDue()) return;
    const { stallAfter = Infinity, cutAfter = Infinity } = this.#faults;
    if (stallAfter <= cutAfter) await this.#begun.patience.stall({ hasSent: stallAfter > 0 });
    throw new UpstreamError("broken", "The built-in model cut its stream before a finish reason");
  }

  #end(): readonly AnswerEvent[] | undefined {
    this.#isFinished = true;
    if (this.#faults.noUsage) return undefined;
    return [this.#event({ choices: [], text: "", finished: false })];
  }

  #event(parts: {
    readonly choices: readonly JsonObject[];
    readonly text: string;
    readonly finished: boolean;
  }): AnswerEvent {
    const { head, usage } = this.#begun;
    const empty = parts.choices.length === 0;
    return {
      chunk: { ...head, object: "chat.completion.chunk", choices: parts.choices },
      text: parts.text,
      usage: empty ? usage : undefined,
      usageBody: empty ? usageBody(usage) : undefined,
      finished: parts.finished,
      empty,
    };
  }
}

/** Whether a fault comes after a token, or after each. */
function countsTokens({ tokenMs, stallAfter, cutAfter }: ChatFaults): boolean {
  return tokenMs > 0 || stallAfter !== undefined || cutAfter !== undefined;
}

/** @param single So many chunks of one token each come first. */
function* deltasOf(choices: readonly PlannedChoice[], single: number): Generator<Delta> {
  let chunks = 0;
  const tokensNext = () => chunks++ < single ? 1 : TOKENS_OF_LATER_CHUNKS;
  for (const [index, choice] of choices.entries()) {
    let role: JsonObject = { role: "assistant", refusal: null };
    const delta = (fields: JsonObject, text: string, tokens: number): Delta => {
      const made = {
        choice: { index, delta: { ...role, ...fields }, logprobs: null, finish_reason: null },
        text,
        tokens,
      };
      role = {};
      return made;
    };
    if (choice.calls.length === 0 && choice.content.tokens === 0) {
      yield delta({ content: "" }, "", 0);
    }
    for (const { text, tokens } of piecesOf(choice.content, tokensNext)) {
      yield delta({ content: text }, text, tokens);
    }
    for (const [number, call] of choice.calls.entries()) {
      const field = call.kind === "function" ? "arguments" : "input";
      const begin = { index: number, id: call.id, type: call.kind };
      const first = { ...begin, [call.kind]: { name: call.name, [field]: "" } };
      yield delta({ content: null, tool_calls: [first] }, call.name, 1);
      for (const { text, tokens } of piecesOf(call.input, tokensNext)) {
        const more = { index: number, [call.kind]: { [field]: text } };
        yield delta({ tool_calls: [more] }, text, tokens);
      }
    }
    yield {
      choice: { index, delta: {}, logprobs: null, finish_reason: choice.finishReason },
      text: "",
      tokens: 0,
    };
  }
}
