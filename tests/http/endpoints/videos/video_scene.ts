/**
 * A gateway whose films wait at an upstream for as long as a test likes, or are
 * fetched from there at once, and requests to it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startFakeVideoServer } from "../../../support/fake_video_server.ts";
import { fakeFilm } from "../../../support/fake_video_upstream.ts";
import { startTestGateway } from "../../../support/gateway.ts";
import { until } from "../../../support/until.ts";

/** A video as it was answered. */
export type Video = { readonly id: string; readonly [name: string]: unknown };

/** An error as it was answered. */
export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly param: string | null;
    readonly message: string;
  };
}

/** Bytes of the film that the model `soon` gives. */
export const FILM = fakeFilm(2_000);

/** Starts a gateway with the models `soon`, whose films are there at once, and `never`. */
export async function startVideoScene() {
  const never = startFakeVideoServer({ manners: "vllm_omni", film: FILM });
  never.behave({ steps: [{ status: "in_progress", progress: 10 }] });
  const soon = startFakeVideoServer({ manners: "vllm_omni", film: FILM });
  soon.behave({ steps: [{ status: "completed", progress: 100 }] });
  const offer =
    "supports: { vision: true }, video: { sizes: [640x360, 1280x720], seconds: [4, 8], pass_fields: [seed] }";
  const price = 'cost: { second: "0.10" }, sale: { second: "0.25" }';
  const gateway = await startTestGateway({
    catalogue: `
providers:
  - { id: never, kind: openai_compatible, base_url: "${never.url}", auth: none }
  - { id: soon, kind: openai_compatible, base_url: "${soon.url}", auth: none }
  - { id: builtin, kind: builtin }
models:
  - id: never
    kind: video
    aliases: [sora-2]
    routes: [{ id: never/film, provider: never, upstream_model: f, ${price}, ${offer} }]
  - id: soon
    kind: video
    routes: [{ id: soon/film, provider: soon, upstream_model: f, ${price}, ${offer} }]
  - id: echo-1
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, upstream_model: echo-1, sale: { free: true } }]
projects:
  - { id: default, unlimited: true }
  - { id: other, unlimited: true }
  - { id: paying }
`,
  });
  const key = await gateway.key("default");
  const other = await gateway.key("other");

  /** A request to the API with the default project's key unless given. */
  function ask(
    path: string,
    init: RequestInit & { readonly key?: string; readonly prefix?: string } = {},
  ): Promise<Response> {
    const { key: by = key, prefix = "/v1", headers, ...rest } = init;
    return fetch(`${gateway.url}${prefix}${path}`, {
      ...rest,
      headers: { authorization: `Bearer ${by}`, ...headers as Record<string, string> },
    });
  }
  /** Sends a create as JSON. */
  function post(body: unknown, init: Parameters<typeof ask>[1] = {}): Promise<Response> {
    return ask("/videos", {
      ...init,
      method: "POST",
      headers: { "content-type": "application/json", ...init.headers as Record<string, string> },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }
  /** Sends a create as the form that browsers and SDKs write. */
  function postForm(
    parts: readonly (readonly [name: string, value: string | Blob])[],
  ): Promise<Response> {
    const form = new FormData();
    for (const [name, value] of parts) form.append(name, value);
    return ask("/videos", { method: "POST", body: form });
  }
  async function create(body: Record<string, unknown> = {}, init = {}): Promise<Video> {
    const response = await post({ model: "never", prompt: "A hill", ...body }, init);
    const video = await response.json();
    assert.equal(response.status, 200, JSON.stringify(video));
    return video;
  }
  /** A video whose film is there. */
  async function completed(): Promise<Video> {
    const { id } = await create({ model: "soon" });
    return await until(`the film of ${id}`, async () => {
      const video: Video = await (await ask(`/videos/${id}`)).json();
      return video.status === "completed" && video;
    });
  }
  return {
    ...{ gateway, key, other, never, soon, ask, post, postForm, create, completed },
    async [Symbol.asyncDispose]() {
      await gateway.stop();
      await never[Symbol.asyncDispose]();
      await soon[Symbol.asyncDispose]();
    },
  };
}

/** The refusal, checked. */
export async function refusal(
  response: Response,
  expected: { readonly status: number; readonly code: string; readonly param?: string | null },
): Promise<ErrorBody["error"]> {
  const { error }: ErrorBody = await response.json();
  const { status, code, param = null } = expected;
  assert.deepEqual(
    { status: response.status, code: error.code, param: error.param },
    { status, code, param },
    error.message,
  );
  return error;
}
