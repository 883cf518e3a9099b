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
import patched from "../../e2e/agents/codex/gpt-5.5.json" with { type: "json" };
import grouped from "../../e2e/agents/codex/gpt-6.1-sol.json" with { type: "json" };
import { PNG } from "../generate/field_hints.ts";
import type { RecordedRequest } from "../mutate/mutated_case.ts";
import { type RecordingProxy, startRecordingProxy } from "./recording_proxy.ts";

type Sdk = typeof seven;
/** A call, by the name that its requests get. */
type Calls = Readonly<Record<string, () => Promise<unknown>>>;

const HELLO = "Hello there";
const MESSAGES = [{ role: "user" as const, content: HELLO }];

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
