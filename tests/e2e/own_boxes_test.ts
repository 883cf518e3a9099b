/**
 * The catalogue that docs/endpoints.md has for boxes of one's own, over fakes with the manners of
 * each: vLLM-Omni, SGLang, LocalAI, and an adapter before ComfyUI.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  type FakeVideoServer,
  type RecordedVideoRequest,
  sampleFilm,
  startFakeVideoServer,
  type VideoManners,
} from "../support/fake_video_server.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { pollUntil } from "./videos/poll_until.ts";

const PNG = "iVBORw0KGgo=";
const FILM = sampleFilm(50_000);
const WAV = new TextEncoder().encode("RIFF\x24\0\0\0WAVEfmt ");

/** What such a box answers beside its films; what it does not have is FastAPI's 404. */
type Box = (request: RecordedVideoRequest) => Response | undefined;

const images = (more: object = {}) =>
  Response.json({ created: 1_790_000_000, data: [{ b64_json: PNG, url: null }], ...more });
const speech = () => new Response(WAV, { headers: { "content-type": "audio/wav" } });
const isFilm = ({ target }: RecordedVideoRequest) => target.startsWith("/v1/videos");

const BOXES: Readonly<Record<string, { readonly manners: VideoManners; readonly box: Box }>> = {
  "vllm-omni": {
    manners: "vllm_omni",
    box(request) {
      if (isFilm(request)) return undefined;
      if (request.json?.size === "7x7") {
        const detail = [{ loc: ["body", "size"], msg: "Size must be a multiple of 16" }];
        return Response.json({ detail }, { status: 422 });
      }
      return request.target === "/v1/images/generations"
        ? images()
        : request.target === "/v1/audio/speech"
        ? speech()
        : Response.json({ detail: "Not Found" }, { status: 404 });
    },
  },
  sglang: {
    manners: "sglang",
    box: (request) =>
      isFilm(request)
        ? undefined
        : images({ id: "1", data: [{ b64_json: PNG, file_path: "/outputs/1.png" }] }),
  },
  localai: {
    manners: "openai",
    box({ target, json, headers }) {
      if (headers.get("authorization") !== "Bearer local-key") {
        return Response.json({ error: { message: "no key", code: 401, type: "" } }, {
          status: 401,
        });
      }
      if (target === "/v1/audio/speech") return speech();
      if (target === "/v1/audio/transcriptions") {
        return Response.json({ text: "Hello", segments: [{ id: 0, start: 0, end: 2e9 }] });
      }
      const data = json?.response_format === "b64_json"
        ? [{ b64_json: PNG }]
        : [{ url: "http://10.0.0.9:8080/generated-images/1.png" }];
      return Response.json({ created: 1, id: "x", data, usage: {} });
    },
  },
  comfyui: {
    manners: "openai",
    box: ({ target }) =>
      target === "/v1/draw" || target === "/v1/redraw"
        ? images()
        : Response.json({ error: "no node" }, { status: 404 }),
  },
};

/** The section's catalogue, with the boxes where the fakes are. */
async function catalogue(boxes: ReadonlyMap<string, FakeVideoServer>): Promise<string> {
  const document = await Deno.readTextFile("docs/endpoints.md");
  const [, yaml] = /^## Boxes of your own\n[^]*?^```yaml\n([^]*?)^```/m.exec(document)!;
  let at = 0;
  const urls = [...boxes.values()].map(({ url }) => url);
  const moved = yaml!.replaceAll(/base_url:\s+"[^"]+"/g, () => `base_url: "${urls[at++]}"`);
  assert.equal(at, urls.length);
  return `${moved}projects:\n  - { id: shop, unlimited: false }\n`;
}

Deno.test("boxes of one's own serve images, speech, its words and films by configuration", async () => {
  await using stack = new AsyncDisposableStack();
  const boxes = new Map<string, FakeVideoServer>();
  for (const [name, { manners, box }] of Object.entries(BOXES)) {
    const server = stack.use(startFakeVideoServer({ manners, film: FILM }));
    server.behave({ answer: box });
    boxes.set(name, server);
  }
  const gateway = stack.use(
    await serveGateway({
      catalogue: await catalogue(boxes),
      env: { LOCALAI_KEY: "local-key" },
    }),
  );
  await gateway.credit("shop", "1");
  const key = await gateway.key("shop");
  const post = (path: string, body: Readonly<Record<string, unknown>>) =>
    ask(gateway, key, path, body);

  for (const [name, price] of [["vllm-omni", 1], ["sglang", 2], ["localai", 3], ["comfyui", 4]]) {
    const provider = String(name);
    const made = await post("/v1/images/generations", {
      ...{ model: "picture", provider, prompt: "A fox", seed: 7 },
    });
    const body = await made.json();
    assert.equal(made.status, 200, JSON.stringify(body));
    assert.equal(body.data[0].b64_json, PNG);
    assert.equal(body.pricing.sale_amount, `0.0${price}000000`);
    const { json } = boxes.get(provider)!.requests.at(-1)!;
    assert.deepEqual([json!.seed, json!.prompt, json!.provider], [7, "A fox", undefined]);
  }
  assert.equal(boxes.get("vllm-omni")!.requests[0]!.json!.num_inference_steps, 30);
  const wrong = await post("/v1/images/generations", {
    ...{ model: "picture", provider: "vllm-omni", prompt: "A fox", size: "7x7" },
  });
  assert.equal(wrong.status, 422);
  assert.match((await wrong.json()).error.message, /multiple of 16/);

  for (const provider of ["vllm-omni", "localai"]) {
    const said = await post("/v1/audio/speech", {
      ...{ model: "voice", provider, voice: "vivian", input: "Hello" },
    });
    assert.equal(said.status, 200);
    assert.deepEqual(new Uint8Array(await said.arrayBuffer()), WAV);
    assert.equal(said.headers.get("content-type"), "audio/wav");
  }
  const heard = await post("/v1/audio/transcriptions", { model: "ears", file: "sound" });
  assert.equal((await heard.json()).text, "Hello");
  const edited = await post("/v1/images/edits", {
    ...{ model: "picture", provider: "comfyui", prompt: "A hat", image: "image" },
  });
  assert.equal((await edited.json()).data[0].b64_json, PNG);

  for (
    const [provider, size, isForm] of [
      ["vllm-omni", "1280x720", true],
      ["sglang", "640x360", false],
    ] as const
  ) {
    const created = await post("/v1/videos", {
      ...{ model: "film", provider, prompt: "A fox", size, seconds: "4" },
    });
    const { id } = await created.json();
    assert.equal(created.status, 200, id);
    const ended = await pollUntil({
      what: `the film of ${provider}`,
      read: () => gateway.get(`/v1/videos/${id}`, key),
      isThere: ({ status }) => status === "completed" || status === "failed",
    });
    assert.equal(ended.status, "completed", JSON.stringify(ended));
    const content = await fetch(`${gateway.url}/v1/videos/${id}/content`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.deepEqual(new Uint8Array(await content.arrayBuffer()), FILM);
    const [start] = boxes.get(provider)!.requestsFor("start");
    assert.equal(start!.form !== undefined, isForm);
  }
  assert.equal((await gateway.cli("ledger", "verify")).differences.length, 0);
});

/** Posts JSON, or a form where a file is among the fields. */
function ask(
  gateway: ServedGateway,
  key: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Response> {
  const authorization = `Bearer ${key}`;
  const file = ["file", "image"].find((name) => name in body);
  if (file === undefined) {
    return fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) form.set(name, String(value));
  form.set(file, new Blob([String(body[file])]), "a.bin");
  return fetch(gateway.url + path, { method: "POST", headers: { authorization }, body: form });
}
