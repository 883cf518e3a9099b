/**
 * A response, or a piece of a streamed one, put right: every call has an id, every signature is sealed.
 *
 * @module
 */

import { reasonOf } from "../../dialects/gemini/finish_reasons.ts";
import {
  asArray,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { CompletionIds } from "../../dialects/base/completion_ids.ts";
import type { SignatureBook } from "./signature_book.ts";
import { seal } from "./signing.ts";

/** What responses are put right with. */
export interface ResponseContext {
  readonly ids: CompletionIds;
  readonly book: SignatureBook;
  /** Of who answers. */
  readonly mark: string;
}

/** What a response says. */
export interface Taken {
  /** Everything that the model wrote. */
  readonly text: string;
  /** Characters of it that are thoughts. */
  readonly thoughts: number;
  readonly seal: string | undefined;
  /** Whether there is anything in it, or was before. */
  readonly hasOutput: boolean;
  /** Whether it is the end. */
  readonly isFinished: boolean;
}

/**
 * Reads one, which is changed.
 *
 * @param hasOutput Whether there was any before it.
 * @throws {UpstreamError} `broken` where it says that the answer is none.
 */
export function takeResponse(
  response: JsonObject,
  context: ResponseContext,
  hasOutput = false,
): Taken {
  const [first, ...others] = asArray(response.candidates);
  // None is asked for, and its words would be nobody's.
  if (others.length > 0) response.candidates = [first];
  const { content, finishReason } = asObject(first) ?? {};
  let text = "";
  let thoughts = 0;
  let sealed: string | undefined;
  let isWritten = hasOutput;
  for (const part of asArray(asObject(content)?.parts)) {
    if (!isObject(part)) continue;
    const call = asObject(part.functionCall);
    if (call !== undefined) {
      sealed = takeCall(part, call, context) ?? sealed;
      text += String(call.name) + JSON.stringify(call.args ?? {});
      isWritten = true;
    } else if (isObject(part.inlineData)) {
      isWritten = true;
    } else if (typeof part.text === "string") {
      text += part.text;
      if (part.thought === true) thoughts += part.text.length;
      isWritten ||= part.text !== "";
    }
  }
  const isBlocked = nonEmptyString(asObject(response.promptFeedback)?.blockReason) !== undefined;
  const word = nonEmptyString(finishReason);
  if (word !== undefined && !isBlocked && reasonOf(word, isWritten) === "failed") {
    throw new UpstreamError("broken", `The upstream gave up its answer: ${word.slice(0, 64)}`);
  }
  const isFinished = isBlocked || word !== undefined;
  return { text, thoughts, seal: sealed, hasOutput: isWritten, isFinished };
}

/** @returns The seal of its signature. */
function takeCall(
  part: JsonObject,
  call: JsonObject,
  { ids, book, mark }: ResponseContext,
): string | undefined {
  if (nonEmptyString(call.name) === undefined || call.willContinue === true) {
    throw new UpstreamError(
      "broken",
      "The upstream sent a call in pieces, which was not asked for",
    );
  }
  if (call.args !== undefined && call.args !== null && !isObject(call.args)) {
    throw new UpstreamError("broken", "The upstream sent a call whose arguments are no object");
  }
  call.id = nonEmptyString(call.id) ?? ids.toolCall();
  const signature = nonEmptyString(part.thoughtSignature);
  if (signature === undefined) return undefined;
  const sealed = seal(signature, mark);
  part.thoughtSignature = sealed;
  book.note(call.id as string, sealed);
  return sealed;
}
