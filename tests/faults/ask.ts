/**
 * One call by a caller of a dialect to an upstream of a kind, which answers as told: what was sent, and
 * what the caller reads.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Answer, AnswerEvent } from "../../src/dialects/base/answer.ts";
import { createCompletionIds } from "../../src/dialects/base/completion_ids.ts";
import { DIALECTS } from "../../src/dialects/registry.ts";
import type { Provider as ProviderSettings, Route } from "../../src/domain/catalogue.ts";
import { asArray, asObject, type JsonObject } from "../../src/domain/json_value.ts";
import type { Work } from "../../src/domain/work.ts";
import { createAnthropic } from "../../src/providers/anthropic/provider.ts";
import { createBedrock } from "../../src/providers/bedrock/provider.ts";
import { createGemini } from "../../src/providers/gemini/provider.ts";
import { createOpenAiCompatible } from "../../src/providers/openai_compatible/provider.ts";
import type { Provider } from "../../src/providers/contract/provider.ts";
import { serve, withConversions } from "../../src/providers/serve.ts";
import type { UpstreamRequest, UpstreamResponse } from "../../src/providers/transport/contract.ts";
import { frame } from "../providers/bedrock/fixtures/frames.ts";
import { FakeClock } from "../support/fake_clock.ts";
import {
  chatCall,
  chatRoute,
  never,
  providerSettings,
  readAll,
} from "../support/provider_parts.ts";

/** The upstreams by what they speak. */
export type Upstream = "chat" | "responses" | "messages" | "gemini" | "converse";
/** The callers by what they speak. */
export type Caller = "openai_chat" | "openai_responses" | "anthropic_messages";

const KINDS = {
  chat: createOpenAiCompatible,
  responses: createOpenAiCompatible,
  messages: createAnthropic,
  gemini: createGemini,
  converse: createBedrock,
} as const;

/** Models that each upstream usually has. */
const MODELS: Readonly<Record<Upstream, string>> = {
  chat: "glm-5",
  responses: "gpt-5",
  messages: "claude-sonnet-4-5",
  gemini: "gemini-3.1-pro",
  converse: "amazon.nova-2-pro-v1:0",
};

/** What is asked, and answered. */
export interface Question {
  readonly upstream: Upstream;
  readonly caller: Caller;
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly route?: Partial<Route>;
  /** Of each request in turn, the last of all further ones: an answer, or the events of a stream. */
  readonly replies?: readonly Reply[];
}

/** An answer of an upstream. */
export type Reply =
  | { readonly json: unknown; readonly status?: number }
  | { readonly events: readonly JsonObject[] }
  | { readonly bytes: Uint8Array; readonly type: string };

/** What became of a stream. */
export interface Streamed {
  readonly events: readonly AnswerEvent[];
  /** As the caller reads them. */
  readonly chunks: readonly JsonObject[];
  /** The lines that the caller gets, without the tail. */
  readonly text: string;
  readonly sent: JsonObject;
}

const USUAL: Readonly<Record<Caller, JsonObject>> = {
  openai_chat: { messages: [{ role: "user", content: "Hello" }] },
  openai_responses: { input: [{ role: "user", content: "Hello" }] },
  anthropic_messages: { max_tokens: 100, messages: [{ role: "user", content: "Hello" }] },
};

/** Asks for an answer in one piece. */
export async function ask(question: Question): Promise<Answer & { readonly sent: JsonObject }> {
  const { provider, call, sent } = prepare(question, false);
  const answer = await serve(question.caller).answer(provider, call, never());
  return { ...answer, sent: sent.at(-1)! };
}

/** Asks for a stream, and reads it to its end. */
export async function stream(question: Question): Promise<Streamed> {
  const { provider, call, sent } = prepare(question, true);
  const events = await readAll(await serve(question.caller).stream(provider, call, never()));
  const writer = DIALECTS[question.caller].writer!(call.body, "model");
  const chunks = events.map(({ chunk }) => structuredClone(chunk));
  return { events, chunks, text: events.map((e) => writer.frame(e)).join(""), sent: sent.at(-1)! };
}

/** What an upstream is sent, whatever it then answers. */
export async function sentBy(question: Omit<Question, "replies">): Promise<JsonObject> {
  const { provider, call, sent } = prepare({ ...question, replies: [{ json: {} }] }, false);
  await assert.rejects(serve(question.caller).answer(provider, call, never()));
  return sent.at(-1)!;
}

/** The counts of the last event that has some. */
export function usageOf({ events }: Streamed): Work | undefined {
  return events.findLast(({ usage }) => usage !== undefined)?.usage;
}

/** The only choice of a chat's answer. */
export function choiceOf({ body }: Pick<Answer, "body">): JsonObject {
  return asObject(asArray(body.choices)[0])!;
}

function prepare(
  { upstream, caller, body, headers, model, route, replies = [] }: Question,
  isStream: boolean,
) {
  const sent: JsonObject[] = [];
  const clock = new FakeClock();
  const settings: ProviderSettings = providerSettings({
    kind: "any",
    baseUrl: "http://127.0.0.1:1/v1",
    own: upstream === "converse" ? { aws_region: "us-east-1" } : {},
  });
  const made = KINDS[upstream](settings, {
    clock,
    random: () => 0.5,
    secrets: () => "an-upstreams-key-0123456789",
    transport: {
      request(request) {
        const reply = replies[Math.min(sent.length, replies.length - 1)]!;
        sent.push(JSON.parse(String(request.body)));
        return Promise.resolve(answerOf(reply, upstream, request));
      },
      close() {},
    },
  });
  const parts = { clock, ids: createCompletionIds(() => 0.5) };
  const provider: Provider = withConversions(made, parts);
  const upstreamModel = model ?? MODELS[upstream];
  const whole = chatRoute({
    upstreamModel,
    ...(upstream === "responses" && { supports: { responses: true } }),
    ...route,
  });
  const call = {
    ...chatCall({}, { route: whole }),
    ...(headers && { headers }),
    body: { model: "model", ...USUAL[caller], ...body, ...(isStream && { stream: true }) },
  };
  return { provider, call, sent };
}

function answerOf(reply: Reply, upstream: Upstream, _request: UpstreamRequest): UpstreamResponse {
  const { bytes, type, status = 200 } = asBytes(reply, upstream);
  let isRead = bytes.length === 0;
  return {
    status,
    header: (name) => name === "content-type" ? type : undefined,
    read() {
      if (isRead) return Promise.resolve(undefined);
      isRead = true;
      return Promise.resolve(bytes);
    },
    text: () => Promise.resolve(new TextDecoder().decode(bytes)),
    close() {},
    release() {},
  };
}

function asBytes(reply: Reply, upstream: Upstream) {
  if ("bytes" in reply) return { ...reply, status: 200 };
  if ("json" in reply) {
    const bytes = new TextEncoder().encode(JSON.stringify(reply.json));
    return { bytes, type: "application/json", status: reply.status };
  }
  if (upstream === "converse") {
    const frames = reply.events.map((event) => frame(event as Record<string, object>));
    const bytes = new Uint8Array(frames.flatMap((one) => [...one]));
    return { bytes, type: "application/vnd.amazon.eventstream" };
  }
  const text = reply.events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const end = upstream === "chat" ? "data: [DONE]\n\n" : "";
  return { bytes: new TextEncoder().encode(text + end), type: "text/event-stream" };
}
