/**
 * Every endpoint that asks a model, behind the guard: what is refused before costs nothing and reaches
 * nobody, what is refused behind is charged and not delivered. One that is not in the table fails it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ENDPOINTS } from "../../src/http/server.ts";
import { answerBody, chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import {
  type FakeUpstream,
  jsonReply,
  type RecordedRequest,
  type Reply,
  sseReply,
  startFakeUpstream,
} from "../support/fake_upstream.ts";
import { judgement } from "../support/moderation_answers.ts";
import { type MediaGateway, startMediaGateway } from "../support/media_gateway.ts";

const WORD = "Paris";
/** What stands in every answer of the upstream. */
const SAID = "delivered-by-mistake";
const message = { role: "user", content: WORD };
const usage = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };

function form(fields: Readonly<Record<string, string | File>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  return data;
}

const sound = () => new File([new Uint8Array(9_000)], "a.wav", { type: "audio/wav" });
const image = () => new File(["PNG"], "a.png", { type: "image/png" });

interface Row {
  readonly body: () => object | FormData;
  /** Nobody is charged for it: it is a count, a judgement that is free, or is made later. */
  readonly isFree?: true;
  /** The answer has no words of the upstream's. */
  readonly isOwn?: true;
}

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  "/v1/chat/completions": [
    { body: () => ({ model: "chatter", messages: [message] }) },
    { body: () => ({ model: "chatter", messages: [message], stream: true }) },
  ],
  "/v1/completions": [{ body: () => ({ model: "completer", prompt: WORD }) }],
  "/v1/embeddings": [{ body: () => ({ model: "vectors", input: WORD }), isOwn: true }],
  "/v1/images/generations": [{ body: () => ({ model: "painter-by-image", prompt: WORD }) }],
  "/v1/images/edits": [
    { body: () => form({ model: "painter-by-image", prompt: WORD, image: image() }) },
  ],
  "/v1/moderations": [{ body: () => ({ model: "moderator", input: WORD }), isFree: true }],
  "/v1/rerank": [
    { body: () => ({ model: "ranker", query: WORD, documents: ["a"] }), isOwn: true },
  ],
  "/v2/rerank": [
    { body: () => ({ model: "ranker", query: WORD, documents: ["a"] }), isOwn: true },
  ],
  "/v1/audio/speech": [
    { body: () => ({ model: "speaker", input: WORD.repeat(200), voice: "alloy" }) },
  ],
  "/v1/audio/transcriptions": [
    { body: () => form({ model: "hearer", prompt: WORD, file: sound() }) },
    { body: () => form({ model: "hearer", prompt: WORD, file: sound(), response_format: "text" }) },
  ],
  "/v1/audio/translations": [
    { body: () => form({ model: "hearer", prompt: WORD, file: sound() }) },
  ],
  "/v1/messages": [
    { body: () => ({ model: "chatter", max_tokens: 9, messages: [message] }) },
    { body: () => ({ model: "chatter", max_tokens: 9, messages: [message], stream: true }) },
  ],
  "/v1/messages/count_tokens": [
    { body: () => ({ model: "chatter", messages: [message] }), isFree: true, isOwn: true },
  ],
  "/v1/responses": [
    { body: () => ({ model: "chatter", input: WORD }) },
    { body: () => ({ model: "chatter", input: WORD, stream: true }) },
  ],
  "/v1/responses/input_tokens": [
    { body: () => ({ model: "chatter", input: WORD }), isFree: true, isOwn: true },
  ],
  "/v1/responses/compact": [{ body: () => ({ model: "chatter", input: WORD }) }],
  "/v1/videos": [{ body: () => ({ model: "films", prompt: WORD }), isFree: true, isOwn: true }],
};

function answered({ target, body }: RecordedRequest): Reply {
  switch (target.replace("/v1", "")) {
    case "/chat/completions":
      return body.includes('"stream":true')
        ? sseReply([chunk({ content: SAID }), finishChunk(), usageChunk(100, 50), "[DONE]"])
        : jsonReply({ ...answerBody(SAID), usage });
    case "/completions":
      return jsonReply({
        object: "text_completion",
        choices: [{ index: 0, text: SAID, logprobs: null, finish_reason: "stop" }],
        usage,
      });
    case "/embeddings":
      return jsonReply({
        object: "list",
        data: [{ object: "embedding", index: 0, embedding: [0.5] }],
        usage,
      });
    case "/images/generations":
    case "/images/edits":
      return jsonReply({ created: 1, data: [{ b64_json: btoa("PNG"), revised_prompt: SAID }] });
    case "/audio/speech":
      return { headers: { "content-type": "audio/mpeg" }, steps: [SAID] };
    case "/audio/transcriptions":
    case "/audio/translations":
      return jsonReply({ text: SAID, usage: { type: "duration", seconds: 9 } });
    case "/moderations":
      return jsonReply({ ...judgement(1), note: SAID });
    default:
      return jsonReply({ id: SAID, results: [{ index: 0, relevance_score: 1 }] });
  }
}

interface World {
  readonly gateway: MediaGateway;
  readonly upstream: FakeUpstream;
  readonly guard: FakeUpstream;
}

async function withWorld(
  refused: "guard.request" | "guard.answer" | undefined,
  run: (world: World) => Promise<void>,
): Promise<void> {
  await using upstream = await startFakeUpstream(answered);
  await using guard = await startFakeUpstream(({ body }): Reply =>
    jsonReply(
      JSON.parse(body).type === refused ? { action: "refuse", reason: "no" } : { action: "allow" },
    )
  );
  await using gateway = await startMediaGateway(upstream.url, {
    guard: {
      url: `${guard.url}/look`,
      secret: undefined,
      answers: true,
      policy: "fail_closed",
      timeoutMs: 5_000,
    },
    privateAddresses: true,
  });
  await run({ gateway, upstream, guard });
}

Deno.test("every endpoint that asks a model has its rows here", () => {
  const asking = ENDPOINTS.filter(({ method, description }) =>
    method === "POST" && description?.callsModel === true
  ).map(({ path, version = 1 }) => `/v${version}${path}`);
  assert.deepEqual(asking.toSorted(), Object.keys(ROWS).toSorted());
});

Deno.test("a request that the guard refuses costs nothing and reaches nobody, at every endpoint", async () => {
  await withWorld("guard.request", async ({ gateway, upstream, guard }) => {
    const before = gateway.spendable();
    for (const [path, rows] of Object.entries(ROWS)) {
      for (const { body } of rows) {
        const seen = guard.requests.length;
        const response = await gateway.post(path, body());
        const text = await response.text();
        assert.equal(response.status, 403, `${path}: ${text}`);
        assert.match(text, /guard refuses this request/, path);
        const [event, ...more] = guard.requests.slice(seen).map((one) => one.json());
        assert.deepEqual(more, []);
        assert.match(JSON.stringify(event), new RegExp(WORD), `${path}: it reads the words`);
      }
    }
    assert.equal(upstream.requests.length, 0);
    assert.equal(gateway.spendable(), before);
  });
});

Deno.test("an answer that the guard refuses is charged and not delivered, at every endpoint", async () => {
  await withWorld("guard.answer", async ({ gateway, guard }) => {
    for (const [path, rows] of Object.entries(ROWS)) {
      for (const { body, isFree, isOwn } of rows) {
        const before = gateway.spendable();
        const response = await gateway.post(path, body());
        const text = await response.text();
        assert.equal(response.status, 403, `${path}: ${text}`);
        assert.match(text, /guard holds this answer back/, path);
        assert.ok(!text.includes(SAID), path);
        const event = guard.requests.at(-1)!.json();
        assert.equal(event.type, "guard.answer");
        const { body: told } = event.data as { readonly body: unknown };
        if (path === "/v1/audio/speech") {
          assert.deepEqual(told, {
            object: "file",
            filename: null,
            content_type: "audio/mpeg",
            bytes: SAID.length,
          });
        } else if (isOwn !== true) {
          assert.ok(JSON.stringify(told).includes(SAID), `${path}: it reads the answer`);
        }
        if (isFree === true) assert.equal(gateway.spendable(), before, path);
        else assert.ok(gateway.spendable() < before, `${path} is charged`);
      }
    }
  });
});

Deno.test("sound that the guard allows is delivered as it is, and never redacted", async () => {
  await withWorld(undefined, async ({ gateway, guard }) => {
    const [row] = ROWS["/v1/audio/speech"]!;
    const response = await gateway.post("/v1/audio/speech", row!.body());
    assert.equal(response.headers.get("content-type"), "audio/mpeg");
    assert.equal(await response.text(), SAID);
    guard.answer(({ body }) =>
      jsonReply(
        JSON.parse(body).type === "guard.answer"
          ? { action: "redact", body: { object: "file" } }
          : { action: "allow" },
      )
    );
    const redacted = await gateway.post("/v1/audio/speech", row!.body());
    assert.equal(redacted.status, 503);
    assert.equal((await redacted.json()).error.code, "guard_unavailable");
  });
});
