/**
 * Completions of texts at an upstream that has them in OpenAI's form, or answers as to a chat, as
 * Mistral does for what is to be filled in.
 *
 * @module
 */

import type { Answer, AnswerEvent, AnswerStream } from "../../../dialects/base/answer.ts";
import type { CompletionIds } from "../../../dialects/base/completion_ids.ts";
import {
  findUsage,
  type NormalisedUsage,
  normaliseUsage,
  type UsageBounds,
  type UsageRank,
} from "../../../dialects/openai/normalise_usage.ts";
import { tierOf } from "../../../dialects/openai/settings.ts";
import { completionChoices } from "../../../dialects/openai_completions/facts.ts";
import { TEXT_COMPLETION } from "../../../dialects/openai_completions/schemas.ts";
import {
  asCount,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../../domain/json_value.ts";
import type { Terms } from "../../../domain/terms.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import type { Conversation, ProviderCall } from "../../contract/provider.ts";
import type { Endpoint } from "../../upstream/endpoint.ts";
import type { EventReader } from "../../upstream/event_feed.ts";
import { openEventStream } from "../../upstream/open_event_stream.ts";
import { isUnixTime } from "../chat/convert_answer.ts";
import { convertRequest } from "../chat/convert_request.ts";
import { askJson } from "./ask_json.ts";

/** What answers are completed with. */
interface Context {
  readonly id: string;
  readonly upstreamModel: string;
  readonly nowSeconds: number;
  readonly bounds: UsageBounds;
  /** No choice has a number above this. */
  readonly choices: number;
  readonly echoes: Echoes;
}

export class Completions implements Conversation {
  readonly #endpoint: Endpoint;
  readonly #options: { readonly ids: CompletionIds; readonly path: string };

  constructor(
    endpoint: Endpoint,
    options: { readonly ids: CompletionIds; readonly path: string },
  ) {
    this.#endpoint = endpoint;
    this.#options = options;
  }

  answer(call: ProviderCall, signal: AbortSignal): Promise<Answer> {
    const context = this.#contextOf(call);
    return askJson(this.#endpoint, {
      call,
      sent: { body: JSON.stringify(bodyOf(call, { stream: false })) },
      question: {
        path: this.#options.path,
        title: "completion",
        read: (body) => readCompletion(body, context),
      },
      signal,
    });
  }

  stream(call: ProviderCall, signal: AbortSignal): Promise<AnswerStream> {
    const reader = new CompletionReader(this.#contextOf(call));
    return openEventStream(this.#endpoint, {
      path: this.#options.path,
      body: JSON.stringify(bodyOf(call, { stream: true })),
      reader,
      eventsOf: (whole) => eventsOfWhole(whole, reader),
      room: call.room,
      signal,
    });
  }

  #contextOf({ route, body }: ProviderCall): Context {
    const choices = completionChoices(body);
    return {
      id: this.#options.ids.answer("cmpl"),
      upstreamModel: route.upstreamModel,
      nowSeconds: Math.floor(this.#endpoint.clock.now() / 1000),
      // Each prompt may fill the context.
      bounds: {
        contextTokens: route.supports.contextTokens === undefined
          ? undefined
          : route.supports.contextTokens * choices,
      },
      choices,
      echoes: new Echoes(body),
    };
  }
}

function bodyOf(call: ProviderCall, { stream }: { readonly stream: boolean }): JsonObject {
  const body = convertRequest(call, { stream, limitField: "max_tokens" });
  for (const field in body) if (body[field] === null) delete body[field];
  return body;
}

/** Prompts that stand before what is written, choice by choice: they are not written. */
class Echoes {
  readonly #prompts: readonly unknown[];
  readonly #choicesOfPrompt: number;
  /** What is still to come of them. */
  readonly #rest = new Map<number, string>();

  constructor({ echo, prompt, n }: ProviderCall["body"]) {
    this.#prompts = echo === true ? [prompt].flat() : [];
    this.#choicesOfPrompt = asCount(n) ?? 1;
  }

  /** What is written of a choice's next text. */
  written({ index, text }: JsonObject): string {
    const said = text as string;
    if (this.#prompts.length === 0) return said;
    const choice = index as number;
    const prompt = this.#prompts[Math.floor(choice / this.#choicesOfPrompt)];
    const rest = this.#rest.get(choice) ?? (typeof prompt === "string" ? prompt : "");
    const isEcho = rest.startsWith(said);
    this.#rest.set(choice, isEcho ? rest.slice(said.length) : "");
    if (isEcho) return "";
    return said.startsWith(rest) ? said.slice(rest.length) : said;
  }
}

function readCompletion(body: JsonObject, context: Context): Answer | undefined {
  const { choices } = body;
  if (!Array.isArray(choices) || choices.length === 0 || !choices.every(isObject)) return undefined;
  const usage = usageOf(body, context)?.usage;
  const repaired = choices.map((choice, at) => repairChoice(choice, at, "stop"));
  if (repaired.some((choice) => choice === undefined)) return undefined;
  const written = repaired.map((choice) => context.echoes.written(choice!));
  return {
    body: {
      ...body,
      id: nonEmptyString(body.id) ?? context.id,
      object: TEXT_COMPLETION,
      created: isUnixTime(body.created) ? body.created : context.nowSeconds,
      choices: repaired,
      usage: usage?.body,
    },
    usage: usage?.usage,
    terms: typeof body.service_tier === "string" ? tierOf(body) : undefined,
    text: () => written.join("\n"),
  };
}

function usageOf(
  body: JsonObject,
  { bounds }: Context,
): { readonly usage: NormalisedUsage | undefined; readonly rank: UsageRank } | undefined {
  const found = findUsage(body);
  return found && { usage: normaliseUsage(found.raw, bounds), rank: found.rank };
}

/** A choice in the form of completions; `undefined` where it has no text of any form. */
function repairChoice(
  { message, delta, usage: _usage, ...choice }: JsonObject,
  position: number,
  reason: string | null,
): JsonObject | undefined {
  const text = choice.text ?? asObject(message)?.content ?? asObject(delta)?.content ?? "";
  if (typeof text !== "string") return undefined;
  return {
    ...choice,
    index: Number.isInteger(choice.index) ? choice.index : position,
    text,
    logprobs: choice.logprobs ?? null,
    finish_reason: nonEmptyString(choice.finish_reason) ?? reason,
  };
}

/** A completion in one piece is the only chunk of its stream. */
function eventsOfWhole(
  whole: JsonObject,
  reader: CompletionReader,
): readonly AnswerEvent[] | undefined {
  const { choices } = whole;
  if (!Array.isArray(choices) || choices.length === 0) return undefined;
  const events: AnswerEvent[] = [];
  reader.read(whole, "", events);
  reader.end("mark", events);
  return events;
}

/** Reads chunks. */
class CompletionReader implements EventReader {
  readonly endMark = "[DONE]";
  readonly isOver = false;
  readonly #context: Context;
  readonly #open = new Set<number>();
  readonly #ended = new Set<number>();
  #hasBegun = false;
  #usageRank = 0;
  #id: string | undefined;
  #created: number | undefined;
  #terms: Terms | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  read(chunk: JsonObject, _name: string, events: AnswerEvent[]): void {
    this.#hasBegun = true;
    const choices = Array.isArray(chunk.choices) ? chunk.choices.filter(isObject) : [];
    const found = usageOf(chunk, this.#context);
    const isBetter = found !== undefined && found.rank >= this.#usageRank;
    if (isBetter) this.#usageRank = found.rank;
    if (typeof chunk.service_tier === "string") this.#terms = tierOf(chunk);
    const { usage: _usage, error: _error, ...rest } = chunk;
    const repaired = choices.map((choice, at) => this.#take(repairChoice(choice, at, null)));
    this.#add({
      ...rest,
      choices: repaired,
    }, { usage: isBetter ? found.usage : undefined, events });
  }

  end(by: "mark" | "body", events: AnswerEvent[]): void {
    if (!this.#hasBegun) {
      throw new UpstreamError("broken", "The upstream sent an empty stream");
    }
    if (by === "body" && (this.#open.size > 0 || this.#ended.size === 0)) {
      throw new UpstreamError("broken", "The upstream cut its stream before a finish reason");
    }
    this.#endAll("stop", events);
  }

  cutShort(events: AnswerEvent[]): void {
    this.#endAll("length", events);
  }

  #take(choice: JsonObject | undefined): JsonObject {
    const index = choice?.index as number | undefined;
    if (choice === undefined || index! < 0 || index! >= this.#context.choices) {
      throw new UpstreamError("broken", "The upstream sent a choice that nobody asked for");
    }
    if (choice.finish_reason === null && !this.#ended.has(index!)) this.#open.add(index!);
    else if (this.#ended.has(index!)) choice.finish_reason = null;
    else {
      this.#open.delete(index!);
      this.#ended.add(index!);
    }
    return choice;
  }

  #endAll(reason: string, events: AnswerEvent[]): void {
    for (const index of this.#open) {
      const choice = { index, text: "", logprobs: null, finish_reason: reason };
      this.#add({ choices: [choice] }, { usage: undefined, events });
    }
    this.#open.clear();
  }

  #add(
    chunk: JsonObject & { readonly choices: readonly JsonObject[] },
    { usage, events }: {
      readonly usage: NormalisedUsage | undefined;
      readonly events: AnswerEvent[];
    },
  ): void {
    const { id, nowSeconds, upstreamModel, echoes } = this.#context;
    this.#id ??= nonEmptyString(chunk.id) ?? id;
    this.#created ??= isUnixTime(chunk.created) ? chunk.created as number : nowSeconds;
    const { choices } = chunk;
    events.push({
      chunk: {
        ...chunk,
        id: this.#id,
        object: TEXT_COMPLETION,
        created: this.#created,
        model: upstreamModel,
      },
      text: choices.map((choice) => echoes.written(choice)).join(""),
      usage: usage?.usage,
      terms: this.#terms,
      usageBody: usage?.body,
      finished: choices.some(({ finish_reason: reason }) => reason !== null),
      empty: choices.length === 0,
    });
  }
}
