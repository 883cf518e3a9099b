/**
 * `POST /v1/audio/transcriptions`, `/v1/audio/translations` and `/v1/images/edits`: forms with files,
 * over upstreams.
 *
 * @module
 */

import assert from "node:assert/strict";
import schemas from "../../fixtures/openai/other_schemas.json" with { type: "json" };
import { jsonReply, sseReply, startFakeUpstream, textReply } from "../../support/fake_upstream.ts";
import { startMediaGateway } from "../../support/media_gateway.ts";
import { assertSatisfies } from "../../support/schema_check.ts";

const path = "/v1/audio/transcriptions";

/** Sound of 8 kHz and 8 bits: 8,000 bytes a second. */
function wav(seconds: number): File {
  const bytes = new Uint8Array(44 + 8_000 * seconds);
  const view = new DataView(bytes.buffer);
  const put = (text: string, at: number) => new TextEncoder().encodeInto(text, bytes.subarray(at));
  put("RIFF", 0);
  put("WAVEfmt ", 8);
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 8_000, true);
  view.setUint32(28, 8_000, true);
  view.setUint16(32, 1, true);
  put("data", 36);
  view.setUint32(40, 8_000 * seconds, true);
  return new File([bytes], "speech.wav", { type: "audio/wav" });
}

function form(fields: Readonly<Record<string, string | File>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries({ model: "hearer", file: wav(10), ...fields })) {
    data.append(name, value);
  }
  return data;
}

const TOKENS = {
  type: "tokens",
  input_tokens: 110,
  input_token_details: { audio_tokens: 100, text_tokens: 10 },
  output_tokens: 5,
  total_tokens: 115,
};

Deno.test("POST audio/transcriptions sends the file on, and charges its seconds", async () => {
  await using upstream = await startFakeUpstream(
    jsonReply({ text: "Hello", usage: { type: "duration", seconds: 9.2 } }),
  );
  await using gateway = await startMediaGateway(upstream.url);
  const response = await gateway.post(path, form({ language: "en", "include[]": "logprobs" }));
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  assertSatisfies(schemas, "CreateTranscriptionResponseJson", body);
  assert.deepEqual([body.text, body.route, body.pricing.sale_amount], [
    "Hello",
    "up/hearer",
    "0.00100000",
  ]);
  const [request] = upstream.requests;
  assert.equal(request!.target, path);
  assert.match(request!.headers.get("content-type")!, /^multipart\/form-data; boundary=/);
  assert.equal(Number(request!.headers.get("content-length")) > 80_000, true);
  for (
    const part of [
      'name="model"\r\n\r\ntheir-hearer\r\n',
      'name="language"\r\n\r\nen\r\n',
      'name="include[]"\r\n\r\nlogprobs\r\n',
      'name="file"; filename="speech.wav"\r\ncontent-type: audio/wav\r\n\r\nRIFF',
    ]
  ) assert.ok(request!.body.includes(part), part);
  const call = await gateway.callOf(response);
  assert.deepEqual([call.capability, call.usage_source, call.work], [
    "transcriptions",
    "reported",
    { audio_second: 10 },
  ]);
});

Deno.test("an upstream's seconds count, but for more than the file's bytes can play", async () => {
  await using upstream = await startFakeUpstream(jsonReply({ text: "Hello" }));
  await using gateway = await startMediaGateway(upstream.url);
  const { size } = wav(10);
  const counted = async (answer: object) => {
    upstream.answer(jsonReply({ text: "Hello", ...answer }));
    const { usage_source: source, work } = await gateway.callOf(
      await gateway.post(path, form({ response_format: "verbose_json" })),
    );
    return [source, work!.audio_second];
  };
  assert.deepEqual(await counted({ usage: { type: "duration", seconds: 3 } }), ["reported", 3]);
  assert.deepEqual(await counted({ duration: 900.4 }), ["reported", 901]);
  const most = Math.ceil(size / 50);
  const absurd = { usage: { type: "duration", seconds: 999_999 } };
  assert.deepEqual(await counted(absurd), ["reported", most]);
  assert.deepEqual(await counted({ duration: "1e300" }), ["reported", most]);
  assert.deepEqual(await counted({ duration: -1 }), ["estimated", 11]);
});

Deno.test("tokens are charged where they have the price, and seconds estimated where they are not told", async () => {
  await using upstream = await startFakeUpstream(jsonReply({ text: "Hello", usage: TOKENS }));
  await using gateway = await startMediaGateway(upstream.url);
  const byToken = await gateway.callOf(
    await gateway.post(path, form({ model: "hearer-by-token" })),
  );
  assert.deepEqual([byToken.usage_source, byToken.work], [
    "reported",
    { input: 10, input_audio: 100, output: 5 },
  ]);
  const bySecond = await gateway.callOf(await gateway.post(path, form({})));
  // By the file's own header: ten seconds, and the rest of it.
  assert.deepEqual([bySecond.usage_source, bySecond.work!.audio_second], ["estimated", 11]);
  upstream.answer(jsonReply({ text: "Hello there" }));
  const unknown = await gateway.callOf(
    await gateway.post(path, form({ model: "hearer-by-token" })),
  );
  assert.deepEqual([unknown.usage_source, unknown.work!.input_audio], ["estimated", 110]);
  assert.ok(Number(unknown.pricing!.charged_amount) > 0);
});

Deno.test("texts and subtitles are given as such, with what they cost in headers", async () => {
  const srt = "1\n00:00:00,000 --> 00:00:07,250\nHello\n";
  await using upstream = await startFakeUpstream((request) =>
    request.body.includes("\r\n\r\nsrt\r\n")
      ? textReply("text/plain", srt)
      : jsonReply({ text: "Hello", usage: { type: "duration", seconds: 7 } })
  );
  await using gateway = await startMediaGateway(upstream.url);
  for (
    const [format, text, amount] of [["text", "Hello", "0.00070000"], ["srt", srt, "0.00080000"]]
  ) {
    const response = await gateway.post(path, form({ response_format: format! }));
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type")!, /^text\/plain/);
    assert.equal(response.headers.get("x-tollgate-route"), "up/hearer");
    assert.equal(response.headers.get("x-tollgate-sale-amount"), amount);
    assert.equal(await response.text(), text);
  }
  assert.ok(upstream.requests[0]!.body.includes("\r\n\r\njson\r\n"));
});

Deno.test("translations are another path, with the same answers", async () => {
  const verbose = { task: "translate", language: "english", duration: 9.9, text: "Hello" };
  await using upstream = await startFakeUpstream(jsonReply(verbose));
  await using gateway = await startMediaGateway(upstream.url);
  const told = await gateway.ask(
    "/v1/audio/translations",
    form({ response_format: "verbose_json" }),
  );
  assert.deepEqual([told.text, told.usage], ["Hello", { type: "duration", seconds: 10 }]);
  assert.equal(upstream.requests[0]!.target, "/v1/audio/translations");
});

Deno.test("a stream of a transcription ends with its counts and price", async () => {
  await using upstream = await startFakeUpstream(
    sseReply([
      { type: "transcript.text.delta", delta: "Hel" },
      { type: "transcript.text.delta", delta: "lo" },
      { type: "transcript.text.done", text: "Hello", usage: TOKENS },
    ]),
  );
  await using gateway = await startMediaGateway(upstream.url);
  const response = await gateway.post(path, form({ stream: "true", model: "hearer-by-token" }));
  const text = await response.text();
  const events = text.matchAll(/^data: (\{.*)$/gm).map(([, data]) => JSON.parse(data!)).toArray();
  assert.deepEqual(events.map(({ type }) => type), [
    "transcript.text.delta",
    "transcript.text.delta",
    "transcript.text.done",
  ]);
  for (const event of events) {
    assertSatisfies(schemas, "CreateTranscriptionResponseStreamEvent", event);
  }
  assert.equal(events[2].pricing.sale_amount, "0.00032500");
  assert.ok(upstream.requests[0]!.body.includes('name="stream"\r\n\r\ntrue'));
});

Deno.test("faulty forms are refused, what is no transcription is no answer, and no file stays", async () => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  await using gateway = await startMediaGateway(upstream.url);
  for (
    const [fields, param] of [
      [{ file: "text" }, "file"],
      [{ file: new File([], "a.wav") }, "file"],
      [{ model: "ranker" }, "model"],
      [{ stream: "perhaps" }, "stream"],
    ] as const
  ) {
    const response = await gateway.post(path, form(fields));
    assert.equal(response.status, 400, JSON.stringify(fields));
    assert.equal((await response.json()).error.param, param);
  }
  assert.equal(upstream.requests.length, 0);
  const json = await gateway.post(path, { model: "hearer" });
  assert.equal(json.status, 415);
  await json.body?.cancel();
  for (const answer of [{}, { text: 5 }, { error: { message: "no" } }]) {
    upstream.answer(jsonReply(answer));
    const response = await gateway.post(path, form({}));
    assert.equal(response.status, 503, JSON.stringify(answer));
    await response.body?.cancel();
  }
});

Deno.test("POST images/edits sends images on as a form, or as JSON that names them", async () => {
  await using upstream = await startFakeUpstream(
    jsonReply({ created: 1, data: [{ b64_json: "iVBORw0K" }, { b64_json: "iVBORw0K" }] }),
  );
  await using gateway = await startMediaGateway(upstream.url);
  const data = new FormData();
  const fields = { model: "painter-by-image", prompt: "A hat", n: "2", size: "1024x1024" };
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  for (const name of ["a.png", "b.png"]) {
    data.append("image[]", new File(["bytes of " + name], name, { type: "image/png" }));
  }
  const response = await gateway.post("/v1/images/edits", data);
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  assert.equal(body.data.length, 2);
  const sent = upstream.requests[0]!.body;
  assert.equal(sent.match(/name="image\[\]"; filename="[ab]\.png"/g)!.length, 2);
  assert.ok(sent.includes("bytes of b.png") && sent.includes('name="n"\r\n\r\n2\r\n'));
  const call = await gateway.callOf(response);
  assert.deepEqual([call.capability, call.work, call.pricing!.charged_amount], [
    "image_edits",
    { image: 2, image_out: 2 },
    "0.08000000",
  ]);
  const images = [{ image_url: "data:image/png;base64,AAAA" }];
  const told = await gateway.ask("/v1/images/edits", { ...fields, n: 1, images });
  assert.equal(told.data.length, 1);
  assert.deepEqual(upstream.requests[1]!.json().images, images);
  const none = await gateway.post("/v1/images/edits", { ...fields, n: 1 });
  assert.equal(none.status, 400);
  await none.body?.cancel();
});

Deno.test("a transcription that comes in one piece is streamed all the same", async () => {
  const usage = { type: "duration", seconds: 9.2 };
  await using upstream = await startFakeUpstream(jsonReply({ text: "Hello", usage }));
  await using gateway = await startMediaGateway(upstream.url);
  const response = await gateway.post(path, form({ stream: "true", response_format: "text" }));
  assert.match(response.headers.get("content-type")!, /^text\/event-stream/);
  const events = (await response.text()).matchAll(/^data: (\{.*)$/gm)
    .map(([, data]) => JSON.parse(data!)).toArray();
  assert.deepEqual(events.map(({ type, delta, text }) => [type, delta ?? text]), [
    ["transcript.text.delta", "Hello"],
    ["transcript.text.done", "Hello"],
  ]);
  assert.deepEqual(events[1].usage, { type: "duration", seconds: 10 });
  assert.equal(events[1].pricing.sale_amount, "0.00100000");
  const [sent] = upstream.requests;
  assert.match(sent!.body, /name="response_format"\r\n\r\njson\r\n/);
  assert.equal((await gateway.callOf(response)).pricing!.charged_amount, "0.00100000");
  for (const wrong of [{ segments: [] }, { error: { message: "no" } }, []]) {
    upstream.answer(jsonReply(wrong));
    const refused = await gateway.post(path, form({ stream: "true" }));
    assert.equal(refused.status, 503, JSON.stringify(wrong));
    await refused.body?.cancel();
  }
});
