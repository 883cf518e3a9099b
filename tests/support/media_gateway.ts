/**
 * A gateway in this process with a model of each kind that is not asked for a chat, all at one
 * upstream, and a project that pays.
 *
 * @module
 */

import { type CallView, callViewOf } from "./call_view.ts";
import { startTestGateway, type TestGateway, type TestGatewayOptions } from "./gateway.ts";

/** How to send a request. */
export interface AskOptions {
  /** Key of the project that pays unless given. */
  readonly key?: string;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface MediaGateway extends TestGateway {
  /** A key of the project `paying`, which has a balance of 10. */
  readonly payer: string;
  /** Posts JSON, or a form, to a path, version included. */
  post(path: string, body: object | FormData, options?: AskOptions): Promise<Response>;
  /** The same; what is answered, which has to be JSON. */
  // deno-lint-ignore no-explicit-any -- each path has its own answer
  ask(path: string, body: object | FormData, options?: AskOptions): Promise<any>;
  /** What the gateway tells of a call by its answer. */
  callOf(response: Response): Promise<CallView>;
  /** What the paying project can spend. */
  spendable(): bigint;
}

/** Models by their kinds; `…-by-…` is priced otherwise than most are. */
export function mediaCatalogue(upstreamUrl: string): string {
  const route = (id: string, rest: string) =>
    `routes: [{ id: up/${id}, provider: up, upstream_model: their-${id}, ${rest} }]`;
  return `
currency: USD
providers:
  - { id: builtin, kind: builtin }
  - { id: up, kind: openai_compatible, base_url: "${upstreamUrl}", auth: none }
models:
  - { id: moderator, kind: moderation, aliases: [omni-moderation-latest], ${
    route("moderator", `cost: { input: "0" }, sale: { input: "0" }`)
  } }
  - { id: dear-moderator, kind: moderation, ${route("dear-moderator", `sale: { input: "1000" }`)} }
  - { id: ranker, kind: rerank, ${
    route("ranker", `cost: { search_unit: "0.001" }, sale: { search_unit: "0.002" }`)
  } }
  - { id: ranker-by-token, kind: rerank, ${route("ranker-by-token", `sale: { input: "50" }`)} }
  - { id: dear-ranker, kind: rerank, ${route("dear-ranker", `sale: { search_unit: "1" }`)} }
  - { id: completer, kind: chat, ${
    route(
      "completer",
      `supports: { completions: true, chat: false }, cost: { input: "1", output: "2" }, sale: { input: "2", output: "4" }`,
    )
  } }
  - { id: vectors, kind: embedding, ${route("vectors", `sale: { input: "2" }`)} }
  - id: films
    kind: video
    routes: [{ id: builtin/films, provider: builtin, upstream_model: video-2, sale: { free: true } }]
  - { id: chatter, kind: chat, ${route("chatter", `sale: { input: "2", output: "4" }`)} }
  - { id: painter, kind: image, ${
    route(
      "painter",
      `sale: { input: "5", input_image: "8", output_image: "30" }`,
    )
  } }
  - id: painter-by-image
    kind: image
    ${route("painter-by-image", `sale: ${BY_IMAGE}`)}
  - { id: dear-painter, kind: image, ${
    route(
      "dear-painter",
      `sale: { image_out: "0.5", when: [{ quality: high, image_out: "4" }] }`,
    )
  } }
  - { id: speaker, kind: speech, ${
    route("speaker", `sale: { character: "15" }, cost: { character: "10" }`)
  } }
  - { id: speaker-by-token, kind: speech, ${
    route("speaker-by-token", `sale: { input: "0.6", output_audio: "12" }`)
  } }
  - { id: speaker-without-events, kind: speech, ${
    route(
      "speaker-without-events",
      `supports: { stream: false }, sale: { input: "0.6", output_audio: "12" }`,
    )
  } }
  - { id: hearer, kind: transcription, ${route("hearer", `sale: { audio_second: "0.0001" }`)} }
  - { id: hearer-by-token, kind: transcription, ${
    route("hearer-by-token", `sale: { input: "2.5", output: "10" }`)
  } }
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;
}

const BY_IMAGE = `{ image_out: "0.04", when: [{ quality: high, image_out: "0.16" }, ` +
  `{ quality: high, size: 1536x1024, image_out: "0.25" }] }`;

/** Starts it. */
export async function startMediaGateway(
  upstreamUrl: string,
  options: TestGatewayOptions = {},
): Promise<MediaGateway> {
  const gateway = await startTestGateway({ catalogue: mediaCatalogue(upstreamUrl), ...options });
  await gateway.credit("paying", "10");
  const payer = await gateway.key("paying");
  const post: MediaGateway["post"] = (path, body, { key = payer, signal, headers } = {}) =>
    fetch(gateway.url + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        ...(!(body instanceof FormData) && { "content-type": "application/json" }),
        ...headers,
      },
      body: body instanceof FormData ? body : JSON.stringify(body),
      ...(signal !== undefined && { signal }),
    });
  return Object.assign(gateway, {
    payer,
    post,
    ask: async (path: string, body: object | FormData, options?: AskOptions) =>
      await (await post(path, body, options)).json(),
    callOf: (response: Response) => callViewOf(gateway.url, payer, response),
    spendable: () => gateway.admin.ledger.balanceOf("paying").avail,
  });
}
