/**
 * An answer in the neutral form: told block by block, as it is written or all at once. A reader of
 * the upstream's dialect tells it, and a writer of the caller's dialect makes of it what it has.
 *
 * Of most answers one block is open at a time. Calls may be open beside each other, because some
 * upstreams write several in turns.
 *
 * @module
 */

import type { Work } from "../../domain/work.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { Extra, Seal, ToolKind } from "./blocks.ts";

/** What an answer says of itself before anything else. */
export interface AnswerHead {
  readonly id: unknown;
  /** The upstream's. */
  readonly model: unknown;
  /** Unix time in seconds. */
  readonly created: unknown;
}

/** What a block will be. */
export type OpenBlock =
  | { readonly type: "text" | "refusal" | "reasoning" }
  | {
    readonly type: "call";
    readonly kind: ToolKind;
    /** `undefined` where the upstream gives none. */
    readonly id: string | undefined;
    readonly name: string;
    /** The group that the tool is in; absent: none. */
    readonly namespace?: string;
    /** What its model wants back with it; absent: nothing. */
    readonly seal?: Seal;
  };

/** What is known of a block at its end. */
export interface BlockEnd {
  /** Whether the answer was cut in the middle of it. */
  readonly isCut: boolean;
  /** Of thoughts. */
  readonly seal?: Seal;
}

/** Why an answer ends: the model was done, wants tools to be run, reached its limit or was stopped. */
export type FinishReason = "done" | "calls" | "length" | "filter";

/** A picture that the model made. */
export interface MadeImage {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

export interface AnswerSink {
  /** Comes once, first. */
  begin(head: AnswerHead): void;
  /** Numbers count up from 0. */
  open(block: number, content: OpenBlock): void;
  /** @param logprobs Of a text, in OpenAI's form. */
  write(block: number, text: string, logprobs?: readonly JsonObject[]): void;
  close(block: number, end: BlockEnd): void;
  /** Comes between blocks. Absent: the dialect has no place for it. */
  image?(image: MadeImage): void;
  /** The reason is known, and every block is closed. May come again; the last one counts. */
  finish(reason: FinishReason): void;
  /**
   * Counts, wherever they stand; the last ones count.
   *
   * @param reported What the upstream's object has besides; absent with no counts: they are absurd.
   */
  usage(usage: Work | undefined, reported?: Extra): void;
  /** The service tier that serves. */
  tier(name: string): void;
  /** Nothing more comes. */
  end(): void;
}
