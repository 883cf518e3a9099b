/**
 * What the clients that people use send, recorded from the clients themselves.
 *
 * @module
 */

import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { embedMany, generateText, streamText, tool } from "ai";
import * as six from "openai6";
import * as seven from "openai7";
import { z } from "zod";
import * as zero from "anthropic0";
import * as one from "anthropic1";
import patched from "../../e2e/agents/codex/gpt-5.5.json" with { type: "json" };
import grouped from "../../e2e/agents/codex/gpt-6.1-sol.json" with { type: "json" };
import { PNG } from "../generate/field_hints.ts";
import type { RecordedRequest } from "../mutate/mutated_case.ts";
import { anthropicCalls, type AnthropicSdk } from "./anthropic_calls.ts";
import { type RecordingProxy, startRecordingProxy } from "./recording_proxy.ts";

type Sdk = typeof seven;
/** A call, by the name that its requests get. */
type Calls = Readonly<Record<string, () => Promise<unknown>>>;

const HELLO = "Hello there";
const MESSAGES = [{ role: "user" as const, content: HELLO }];

const LINE = `${
  JSON.stringify({
    custom_id: "one",
    method: "POST",
    url: "/v1/chat/completions",
    body: { model: "echo", messages: MESSAGES, max_tokens: 9 },
  })
}\n`;

/**
 * Lets every client make its calls through a proxy, and gives what they sent.
 *
 * @throws {Error} When a client fails.
 */
export async function recordSdkRequests(
  { server, apiKey }: { readonly server: Deno.NetAddr; readonly apiKey: string },
): Promise<readonly RecordedRequest[]> {
  await using proxy = startRecordingProxy(server);
  const baseURL = `${proxy.url}/v1`;
  const recorded: RecordedRequest[] = [];
  const clients: Readonly<Record<string, Calls>> = {
    "openai 6": openaiCalls(six as unknown as Sdk, { baseURL, apiKey }),
    "openai 7": openaiCalls(seven, { baseURL, apiKey }),
    "Codex": codexCalls({ baseURL, apiKey }),
    "AI SDK": aiSdkCalls({ baseURL, apiKey }),
    "LangChain": langChainCalls({ baseURL, apiKey }),
    "anthropic 0": anthropicCalls(zero as unknown as AnthropicSdk, { baseURL: proxy.url, apiKey }),
    "anthropic 1": anthropicCalls(one, { baseURL: proxy.url, apiKey }),
    "Cohere and Jina": rankingCalls({ url: proxy.url, apiKey }),
  };
  for (const [client, calls] of Object.entries(clients)) {
    for (const [name, call] of Object.entries(calls)) {
      recorded.push(...await recordCall(proxy, `${client} ${name}`, call));
    }
  }
  return recorded;
}

async function recordCall(
  proxy: RecordingProxy,
  name: string,
  call: () => Promise<unknown>,
): Promise<readonly RecordedRequest[]> {
  const before = proxy.requests.length;
  await call();
  return proxy.requests.slice(before).map((bytes) => ({ name, bytes }));
}

/** What Codex was seen to send, without the tools that only OpenAI runs. */
function codexCalls(options: { baseURL: string; apiKey: string }): Calls {
  const client = new seven.OpenAI({ ...options, maxRetries: 0 });
  const turn = ({ request, then }: typeof patched | typeof grouped) => {
    const { tools = [], ...body } = request as { readonly tools?: readonly { type: string }[] };
    return {
      ...body,
      model: "echo",
      stream: false as const,
      tools: tools.filter(({ type }) => type !== "web_search") as seven.OpenAI.Responses.Tool[],
      input: [...request.input, ...then.flat()] as seven.OpenAI.Responses.ResponseInput,
    };
  };
  return {
    "a patch": () => client.responses.create(turn(patched)),
    "tools in groups": () => client.responses.create(turn(grouped)),
    "a compaction": () => client.responses.compact(turn(patched)),
    "a count": () => client.responses.inputTokens.count(turn(grouped)),
  };
}

function openaiCalls({ OpenAI }: Sdk, options: { baseURL: string; apiKey: string }): Calls {
  const client = new OpenAI({ ...options, maxRetries: 0 });
  let film = "";
  let response = "";
  let file = "";
  let batch = "";
  return {
    chat: () =>
      client.chat.completions.create({ model: "echo", messages: MESSAGES, max_tokens: 9 }),
    "chat stream": async () => {
      const stream = await client.chat.completions.create({
        model: "echo",
        messages: MESSAGES,
        stream: true,
        stream_options: { include_usage: true },
      });
      await Array.fromAsync(stream);
    },
    "chat with a key to repeat it": () =>
      client.chat.completions.create({ model: "echo", messages: MESSAGES }, {
        idempotencyKey: `recorded-${crypto.randomUUID()}`,
      }),
    embeddings: () => client.embeddings.create({ model: "vectors", input: [HELLO, "again"] }),
    completions: () => client.completions.create({ model: "completer", prompt: HELLO }),
    images: () => client.images.generate({ model: "painter", prompt: HELLO, size: "auto" }),
    speech: async () =>
      void (await (await client.audio.speech.create({
        model: "speaker",
        input: HELLO,
        voice: "alloy",
      })).arrayBuffer()),
    "images edit": () =>
      client.images.edit({
        model: "painter",
        prompt: HELLO,
        image: [new File([PNG], "a.png", { type: "image/png" })],
      }),
    transcriptions: () =>
      client.audio.transcriptions.create({ model: "hearer", file: new File([PNG], "a.wav") }),
    translations: () =>
      client.audio.translations.create({ model: "hearer", file: new File([PNG], "a.wav") }),
    moderations: () => client.moderations.create({ input: [HELLO, "again"] }),
    responses: async () => {
      response = (await client.responses.create({ model: "echo", input: HELLO })).id;
    },
    "responses stream": async () => {
      const stream = await client.responses.create({ model: "echo", input: HELLO, stream: true });
      await Array.fromAsync(stream);
    },
    "responses retrieve": () => client.responses.retrieve(response),
    "responses items": async () => void (await client.responses.inputItems.list(response)).data,
    files: async () => {
      file =
        (await client.files.create({ purpose: "batch", file: new File([LINE], "a.jsonl") })).id;
    },
    "files list": async () => void (await client.files.list()).data,
    "files retrieve": () => client.files.retrieve(file),
    "files content": async () => void await (await client.files.content(file)).text(),
    batches: async () => {
      const endpoint = "/v1/chat/completions";
      const made = { input_file_id: file, endpoint, completion_window: "24h" } as const;
      batch = (await client.batches.create(made)).id;
    },
    "batches list": async () => void (await client.batches.list()).data,
    "batches retrieve": () => client.batches.retrieve(batch),
    models: async () => void (await client.models.list()).data,
    "models retrieve": () => client.models.retrieve("echo"),
    videos: async () => {
      film = (await client.videos.create({ model: "film" as "sora-2", prompt: HELLO })).id;
    },
    "videos with a file": () =>
      client.videos.create({
        model: "film" as "sora-2",
        prompt: HELLO,
        input_reference: new File([PNG], "a.png", { type: "image/png" }),
      }),
    "videos retrieve": () => client.videos.retrieve(film),
    "videos list": async () => void (await client.videos.list({ limit: 2 })).data,
    "videos delete": () => client.videos.delete(film),
  };
}

/** Of clients that are no more than a request. */
function rankingCalls({ url, apiKey }: { url: string; apiKey: string }): Calls {
  const rank = async (path: string) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: {
        "authorization": `Bearer ${apiKey}`,
        "content-type": "application/json",
        // One connection each, as the proxy needs it.
        "connection": "close",
      },
      body: JSON.stringify({ model: "ranker", query: HELLO, documents: [HELLO, "b"], top_n: 1 }),
    });
    if (response.status !== 200) throw new Error(await response.text());
    await response.body?.cancel();
  };
  return { "rerank": () => rank("/v1/rerank"), "rerank 2": () => rank("/v2/rerank") };
}

function aiSdkCalls(options: { baseURL: string; apiKey: string }): Calls {
  const openai = createOpenAI(options);
  const compatible = createOpenAICompatible({ ...options, name: "tollgate", includeUsage: true });
  const tools = {
    get_weather: tool({ description: "Weather", inputSchema: z.object({ city: z.string() }) }),
  };
  return {
    responses: () => generateText({ model: openai("echo"), prompt: HELLO, tools, maxRetries: 0 }),
    chat: () => generateText({ model: openai.chat("echo"), prompt: HELLO, maxRetries: 0 }),
    "chat stream": async () => {
      await streamText({ model: compatible("echo"), prompt: HELLO, tools, maxRetries: 0 }).text;
    },
    embeddings: () =>
      embedMany({ model: openai.embedding("vectors"), values: [HELLO, "b"], maxRetries: 0 }),
  };
}

function langChainCalls({ baseURL, apiKey }: { baseURL: string; apiKey: string }): Calls {
  const options = { apiKey, maxRetries: 0, configuration: { baseURL } };
  const chat = new ChatOpenAI({ ...options, model: "echo" });
  const embeddings = new OpenAIEmbeddings({ ...options, model: "vectors" });
  return {
    chat: () => chat.invoke(HELLO),
    "chat stream": async () => void await Array.fromAsync(await chat.stream(HELLO)),
    embeddings: () => embeddings.embedDocuments([HELLO, "b"]),
  };
}
