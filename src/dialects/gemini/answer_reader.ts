/**
 * Answers and the pieces of their streams, which are alike, told block by block.
 *
 * @module
 */

import {
  asArray,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Work } from "../../domain/work.ts";
import type { Answer, AnswerEvent } from "../base/answer.ts";
import type { AnswerReader } from "../base/turns_format.ts";
import type { AnswerSink, FinishReason } from "../turns/answer_sink.ts";
import type { Seal } from "../turns/blocks.ts";
import { reasonOf } from "./finish_reasons.ts";
import { GEMINI } from "./names.ts";

type Writing = "text" | "reasoning";

export class GeminiAnswerReader implements AnswerReader {
  readonly #sink: AnswerSink;
  #hasBegun = false;
  #blocks = 0;
  /** The block that is open: calls come whole. */
  #open: Writing | undefined;
  #hasImages = false;
  #reason: FinishReason = "done";

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  addEvent({ chunk, usage, usageBody }: AnswerEvent): void {
    this.#add(chunk);
    if (usageBody !== undefined) this.#addUsage(usage, usageBody);
  }

  addWhole({ body, usage }: Answer): void {
    this.#add(body);
    if (usage !== undefined) this.#addUsage(usage, asObject(body.usageMetadata) ?? {});
  }

  end(): void {
    if (!this.#hasBegun) return;
    this.#close(this.#reason === "length" || this.#reason === "filter");
    this.#sink.finish(this.#reason);
    this.#sink.end();
  }

  #add({ candidates, promptFeedback, modelVersion }: JsonObject): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#sink.begin({ id: undefined, model: modelVersion, created: undefined });
    }
    const block = nonEmptyString(asObject(promptFeedback)?.blockReason);
    if (block !== undefined) this.#refuse(block);
    const [first] = asArray(candidates);
    const { content, finishReason, logprobsResult } = asObject(first) ?? {};
    const logprobs = logprobsResult === undefined ? undefined : logprobsOf(logprobsResult);
    for (const part of asArray(asObject(content)?.parts)) {
      if (isObject(part)) this.#addPart(part, logprobs);
    }
    if (nonEmptyString(finishReason) === undefined) return;
    const reason = reasonOf(finishReason, this.#blocks > 0 || this.#hasImages);
    if (reason !== "failed") this.#reason = reason;
  }

  #addUsage(usage: Work | undefined, fields: JsonObject): void {
    this.#sink.usage(usage, usage === undefined ? undefined : { of: GEMINI, fields });
  }

  #addPart(part: JsonObject, logprobs: readonly JsonObject[] | undefined): void {
    const { text, thought, functionCall: call, thoughtSignature } = part;
    if (isObject(call)) return this.#addCall(call, nonEmptyString(thoughtSignature));
    // Pictures of its thoughts are drafts.
    if (isObject(part.inlineData) && thought !== true) return this.#addImage(part.inlineData);
    if (typeof text !== "string" || text === "") return;
    this.#write(thought === true ? "reasoning" : "text", text, logprobs);
  }

  #write(type: Writing, text: string, logprobs?: readonly JsonObject[]): void {
    if (this.#open !== type) {
      this.#close(false);
      this.#open = type;
      this.#sink.open(this.#blocks++, { type });
    }
    this.#sink.write(this.#blocks - 1, text, type === "text" ? logprobs : undefined);
  }

  /** What signs a call stands with it, and with the thoughts before it for who has no place for it there. */
  #addCall({ id, name, args }: JsonObject, signature: string | undefined): void {
    const seal: Seal | undefined = signature === undefined
      ? undefined
      : { of: GEMINI, value: signature };
    if (seal !== undefined && this.#open !== "reasoning") {
      this.#close(false);
      this.#open = "reasoning";
      this.#sink.open(this.#blocks++, { type: "reasoning" });
    }
    this.#close(false, seal);
    const block = this.#blocks++;
    this.#sink.open(block, {
      type: "call",
      kind: "function",
      id: nonEmptyString(id),
      name: String(name),
      ...(seal !== undefined && { seal }),
    });
    this.#sink.write(block, JSON.stringify(args ?? {}));
    this.#sink.close(block, { isCut: false });
  }

  /** @throws {UpstreamError} `caller`, where the caller's dialect has no place for it. */
  #addImage({ mimeType, data }: JsonObject): void {
    this.#close(false);
    if (this.#sink.image === undefined) throw noPlace();
    this.#hasImages = true;
    this.#sink.image({ mediaType: String(mimeType ?? "image/png"), data: String(data ?? "") });
  }

  #refuse(reason: string): void {
    this.#close(false);
    const block = this.#blocks++;
    this.#sink.open(block, { type: "refusal" });
    this.#sink.write(block, `The model's provider refused the prompt (${reason}).`);
    this.#sink.close(block, { isCut: false });
    this.#reason = "filter";
  }

  #close(isCut: boolean, seal?: Seal): void {
    if (this.#open === undefined) return;
    this.#open = undefined;
    this.#sink.close(this.#blocks - 1, { isCut, ...(seal !== undefined && { seal }) });
  }
}

function noPlace(): UpstreamError {
  return new UpstreamError("caller", "The upstream answered with a picture", {
    status: 400,
    code: "not_supported",
    param: "model",
    publicMessage: "This model answers with a picture, which has no place in an answer of this " +
      "path: ask for it at /v1/chat/completions",
  });
}

/** In OpenAI's form. */
function logprobsOf(result: unknown): readonly JsonObject[] {
  const { chosenCandidates, topCandidates } = asObject(result) ?? {};
  const others = asArray(topCandidates);
  return asArray(chosenCandidates).map((chosen, at) => ({
    ...logprobOf(chosen),
    top_logprobs: asArray(asObject(others[at])?.candidates).map(logprobOf),
  }));
}

function logprobOf(candidate: unknown): JsonObject {
  const { token, logProbability } = asObject(candidate) ?? {};
  const text = String(token ?? "");
  return {
    token: text,
    logprob: Number(logProbability ?? 0),
    bytes: [...new TextEncoder().encode(text)],
  };
}
