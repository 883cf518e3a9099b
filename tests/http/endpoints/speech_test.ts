/**
 * `POST /v1/audio/speech` over upstreams that send sound, and such that send events.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import schemas from "../../fixtures/openai/other_schemas.json" with { type: "json" };
import {
  jsonReply,
  type Reply,
  sseReply,
  startFakeUpstream,
  textReply,
} from "../../support/fake_upstream.ts";
import { startMediaGateway } from "../../support/media_gateway.ts";
import { assertSatisfies } from "../../support/schema_check.ts";

const path = "/v1/audio/speech";
const ask = { model: "speaker", input: "Zażółć 🎈", voice: "alloy" };
/** Every byte there is, and no multiple of three. */
const SOUND = Uint8Array.from({ length: 1_000 }, (_, index) => index % 256);

function sound(...steps: readonly (Uint8Array | "cut!")[]): Reply {
  return { headers: { "content-type": "audio/mpeg" }, steps };
}

const delta = (bytes: Uint8Array) => ({
  type: "speech.audio.delta",
  audio: Buffer.from(bytes).toString("base64"),
});
const done = {
  type: "speech.audio.done",
  usage: { input_tokens: 10, output_tokens: 100, total_tokens: 110 },
};

async function bytesOf(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer());
}

Deno.test("POST audio/speech sends sound on byte for byte, and charges its characters", async () => {
  await using upstream = await startFakeUpstream(
    sound(SOUND.slice(0, 1), SOUND.slice(1, 100), SOUND.slice(100)),
  );
  await using gateway = await startMediaGateway(upstream.url);
  const response = await gateway.post(path, { ...ask, instructions: null });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "audio/mpeg");
  assert.equal(response.headers.get("x-tollgate-provider"), "up");
  assert.equal(response.headers.get("x-tollgate-route"), "up/speaker");
  assert.deepEqual(await bytesOf(response), SOUND);
  assert.equal(upstream.requests[0]!.target, "/v1/audio/speech");
  assert.deepEqual(upstream.requests[0]!.json(), { ...ask, model: "their-speaker" });
  const call = await gateway.callOf(response);
  assert.deepEqual([call.capability, call.usage_source, call.work], [
    "speech",
    "reported",
    { character: 8 },
  ]);
  assert.equal(call.pricing!.charged_amount, "0.00012000");
});

Deno.test("a route that is paid by tokens is asked for events, and its sound taken out of them", async () => {
  await using upstream = await startFakeUpstream(
    sseReply([delta(SOUND.slice(0, 10)), delta(SOUND.slice(10, 11)), delta(SOUND.slice(11)), done]),
  );
  await using gateway = await startMediaGateway(upstream.url);
  const response = await gateway.post(path, {
    ...ask,
    model: "speaker-by-token",
    response_format: "wav",
  });
  assert.equal(response.headers.get("content-type"), "audio/wav");
  assert.deepEqual(await bytesOf(response), SOUND);
  assert.equal(upstream.requests[0]!.json().stream_format, "sse");
  const call = await gateway.callOf(response);
  assert.deepEqual([call.usage_source, call.work], [
    "reported",
    { input: 10, output_audio: 100, character: 8 },
  ]);
  assert.equal(call.pricing!.charged_amount, "0.00120600");
});

Deno.test("tokens are estimated where there are no events to count them", async () => {
  await using upstream = await startFakeUpstream(sound(SOUND));
  await using gateway = await startMediaGateway(upstream.url);
  for (const model of ["speaker-without-events", "speaker-by-token"]) {
    const response = await gateway.post(path, { ...ask, model });
    assert.deepEqual(await bytesOf(response), SOUND);
    const call = await gateway.callOf(response);
    assert.equal(call.usage_source, "estimated");
    assert.equal(call.work!.output_audio, 12);
    assert.ok(Number(call.pricing!.charged_amount) > 0);
  }
  assert.deepEqual(upstream.requests.map((request) => request.json().stream_format), [
    undefined,
    "sse",
  ]);
});

Deno.test("events are given whatever the upstream sends, the last one with counts and price", async () => {
  for (const reply of [sound(SOUND), sseReply([delta(SOUND), done])]) {
    await using upstream = await startFakeUpstream(reply);
    await using gateway = await startMediaGateway(upstream.url);
    const response = await gateway.post(path, { ...ask, stream_format: "sse" });
    assert.match(response.headers.get("content-type")!, /^text\/event-stream/);
    const text = await response.text();
    const events = text.matchAll(/^data: (\{.*)$/gm).map(([, data]) => JSON.parse(data!)).toArray();
    for (const event of events) assertSatisfies(schemas, "CreateSpeechResponseStreamEvent", event);
    const sent = events.flatMap(({ audio }) => [...Buffer.from(audio ?? "", "base64")]);
    assert.deepEqual(Uint8Array.from(sent), SOUND);
    assert.equal(events.at(-1).pricing.sale_amount, "0.00012000");
  }
});

Deno.test("sound that breaks off is cut off, or refused before its beginning, and is free", async () => {
  await using upstream = await startFakeUpstream(sound(SOUND, SOUND, "cut!"));
  await using gateway = await startMediaGateway(upstream.url);
  const before = gateway.spendable();
  const response = await gateway.post(path, ask);
  await assert.rejects(bytesOf(response));
  assert.equal((await gateway.callOf(response)).state, "released");
  upstream.answer(sound("cut!"));
  const refused = await gateway.post(path, ask);
  assert.equal(refused.status, 503);
  await refused.body?.cancel();
  assert.equal(gateway.spendable(), before);
});

Deno.test("what is no sound is no answer", async () => {
  for (
    const reply of [
      jsonReply({ error: { message: "no" } }),
      jsonReply({}),
      textReply("text/html", "<h1>It works!</h1>"),
      textReply("audio/mpeg", ""),
      sseReply([done]),
      sseReply([]),
      sseReply([{ error: { message: "no" } }]),
    ]
  ) {
    await using upstream = await startFakeUpstream(reply);
    await using gateway = await startMediaGateway(upstream.url);
    const response = await gateway.post(path, ask);
    assert.equal(response.status, 503, JSON.stringify(reply));
    await response.body?.cancel();
  }
});

Deno.test("sound is repeated by its key, without another call", async () => {
  const long = Uint8Array.from({ length: 200_000 }, (_, index) => index % 251);
  await using upstream = await startFakeUpstream(sound(long.slice(0, 77_777), long.slice(77_777)));
  await using gateway = await startMediaGateway(upstream.url);
  const headers = { "idempotency-key": "once" };
  const first = await gateway.post(path, ask, { headers });
  assert.deepEqual(await bytesOf(first), long);
  const second = await gateway.post(path, ask, { headers });
  assert.equal(second.headers.get("idempotent-replayed"), "true");
  assert.equal(second.headers.get("content-type"), "audio/mpeg");
  assert.deepEqual(await bytesOf(second), long);
  assert.equal(upstream.requests.length, 1);
});

Deno.test("who leaves pays for what is said all the same", async () => {
  await using upstream = await startFakeUpstream({
    headers: { "content-type": "audio/mpeg" },
    steps: [SOUND, SOUND, "stall!"],
  });
  await using gateway = await startMediaGateway(upstream.url);
  const leaving = new AbortController();
  const response = await gateway.post(path, ask, { signal: leaving.signal });
  await response.body!.getReader().read();
  leaving.abort();
  await upstream.requests[0]!.closed;
  const call = await gateway.callOf(response);
  assert.deepEqual([call.result, call.work!.character], ["client_aborted", 8]);
  assert.equal(call.pricing!.charged_amount, "0.00012000");
});

Deno.test("faulty requests for speech are refused", async () => {
  await using upstream = await startFakeUpstream(sound(SOUND));
  await using gateway = await startMediaGateway(upstream.url);
  for (
    const [fields, param] of [
      [{ input: "" }, "input"],
      [{ input: ["a"] }, "input"],
      [{ voice: 5 }, "voice"],
      [{ speed: "fast" }, "speed"],
      [{ stream_format: "mp3" }, "stream_format"],
      [{ model: "ranker" }, "model"],
    ] as const
  ) {
    const response = await gateway.post(path, { ...ask, ...fields });
    assert.equal(response.status, 400, JSON.stringify(fields));
    assert.equal((await response.json()).error.param, param);
  }
});
