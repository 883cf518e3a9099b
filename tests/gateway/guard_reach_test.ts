/**
 * That nothing goes past the operator's guard: forms, counts, kept answers, lines of batches.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { GuardSettings } from "../../src/config/process_settings.ts";
import { chatLine, startBatchScene } from "../support/batch_scene.ts";
import { answerBody, twoRoutes } from "../support/chat_bodies.ts";
import {
  type FakeUpstream,
  jsonReply,
  type Reply,
  startFakeUpstream,
} from "../support/fake_upstream.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { startMediaGateway } from "../support/media_gateway.ts";
import { until } from "../support/until.ts";

// deno-lint-ignore no-explicit-any -- events and answers, read as they come
type Untyped = any;

const allow = () => jsonReply({ action: "allow" });

/** Redacts every word of what it is told that is on the right. */
const redacting = (word: string) => ({ data }: Untyped): Reply =>
  jsonReply({
    action: "redact",
    body: JSON.parse(JSON.stringify(data.body).replaceAll(word, "***")),
  });

function startGuard(say: (event: Untyped) => Reply): Promise<FakeUpstream> {
  return startFakeUpstream(({ body }): Reply => say(JSON.parse(body)));
}

function lookedAtBy({ url }: FakeUpstream, settings: Partial<GuardSettings> = {}) {
  const guard: GuardSettings = {
    url: `${url}/look`,
    secret: undefined,
    answers: true,
    policy: "fail_closed",
    timeoutMs: 5_000,
    ...settings,
  };
  return { guard, privateAddresses: true };
}

const eventsOf = ({ requests }: FakeUpstream): Untyped[] =>
  requests.map(({ body }) => JSON.parse(body));

async function askJson(
  { url }: TestGateway,
  { key, path, body }: { readonly key: string; readonly path: string; readonly body?: object },
): Promise<readonly [status: number, body: Untyped]> {
  const response = await fetch(`${url}/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return [response.status, await response.json()];
}

Deno.test("of a form's files the guard is told names, types and sizes, and its texts may be redacted", async () => {
  await using upstream = await startFakeUpstream(jsonReply({ text: "Hello Paris" }));
  await using guard = await startGuard(redacting("Paris"));
  await using gateway = await startMediaGateway(upstream.url, lookedAtBy(guard));
  const form = new FormData();
  const sound = new Uint8Array(9_000).fill(7);
  form.append("model", "hearer");
  form.append("prompt", "A walk in Paris");
  form.append("file", new File([sound], "walk.wav", { type: "audio/wav" }));
  const response = await gateway.post("/v1/audio/transcriptions", form);
  const answer = await response.json();
  assert.deepEqual([response.status, answer.text], [200, "Hello ***"]);
  const [asked, answered] = eventsOf(guard);
  assert.deepEqual(asked.data.body, {
    model: "hearer",
    prompt: "A walk in Paris",
    file: { object: "file", filename: "walk.wav", content_type: "audio/wav", bytes: 9_000 },
  });
  assert.equal(answered.data.body.text, "Hello Paris");
  const sent = upstream.requests[0]!.body;
  assert.match(sent, /A walk in \*\*\*/);
  assert.doesNotMatch(sent, /Paris/);
  assert.ok(sent.includes("\x07".repeat(9_000)), "the file went to the upstream");
  const images = new FormData();
  images.append("model", "painter");
  images.append("prompt", "A town");
  for (const name of ["one.png", "two.png"]) {
    images.append("image[]", new File(["PNG"], name, { type: "image/png" }));
  }
  await (await gateway.post("/v1/images/edits", images)).body?.cancel();
  const { image } = eventsOf(guard)[2].data.body;
  assert.deepEqual(image.map(({ filename, bytes }: Untyped) => [filename, bytes]), [
    ["one.png", 3],
    ["two.png", 3],
  ]);
  assert.doesNotMatch(JSON.stringify(eventsOf(guard)), /\.part|sk-tg-/, "no path of the disk");
});

Deno.test("a prompt whose tokens are counted is looked at as well", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using guard = await startGuard(() => jsonReply({ action: "refuse", reason: "a card" }));
  await using gateway = await startTestGateway({
    catalogue: twoRoutes(upstream.url, upstream.url),
    ...lookedAtBy(guard, { answers: false }),
  });
  const key = await gateway.key("default");
  const [status, { error }] = await askJson(gateway, {
    key,
    path: "/messages/count_tokens",
    body: { model: "m", messages: [{ role: "user", content: "my card 4111" }] },
  });
  assert.equal(status, 403);
  assert.match(error.message, /a card/);
  const [input] = await askJson(gateway, {
    key,
    path: "/responses/input_tokens",
    body: { model: "m", input: "my card 4111" },
  });
  assert.equal(input, 403);
  assert.deepEqual(eventsOf(guard).map(({ data }) => data.path), [
    "/messages/count_tokens",
    "/responses/input_tokens",
  ]);
});

Deno.test("an answer that is kept is looked at whenever it is asked for, one in the background too", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Paris")));
  await using guard = await startGuard((event) =>
    event.type === "guard.request" ? allow() : redacting("Paris")(event)
  );
  await using gateway = await startTestGateway({
    catalogue: twoRoutes(upstream.url, upstream.url),
    ...lookedAtBy(guard),
  });
  const key = await gateway.key("default");
  const ask = (path: string, body?: object) =>
    askJson(gateway, { key, path, ...(body && { body }) });
  const [status, queued] = await ask("/responses", { model: "m", input: "Hi", background: true });
  assert.deepEqual([status, queued.status], [200, "queued"]);
  const done = await until("the answer's end", async () => {
    const [, kept] = await ask(`/responses/${queued.id}`);
    return kept.status === "completed" && kept;
  }, { everyMs: 2 });
  assert.equal(done.output[0].content[0].text, "***");
  const looks = eventsOf(guard).filter(({ type }) => type === "guard.answer");
  assert.equal(looks.length, 1, "what has not come is not looked at");
  assert.deepEqual([looks[0].data.path, looks[0].data.model], [`/responses/${queued.id}`, null]);
  const [, next] = await ask("/responses", {
    model: "m",
    input: "And?",
    previous_response_id: queued.id,
  });
  assert.equal(next.output[0].content[0].text, "***");
  guard.answer(() => jsonReply({ action: "refuse" }));
  const [held, { error }] = await ask(`/responses/${queued.id}`);
  assert.deepEqual([held, error.code], [403, "refused_by_guard"]);
  const [cancelled] = await ask(`/responses/${queued.id}/cancel`, {});
  assert.equal(cancelled, 403);
});

Deno.test("lines of batches are looked at, and their answers before they are in a file", async () => {
  await using guard = await startGuard((event) =>
    JSON.stringify(event.data.body).includes("secret")
      ? jsonReply({ action: "refuse", reason: "a secret" })
      : redacting("Paris")(event)
  );
  await using at = await startBatchScene({
    script: jsonReply(answerBody("In Paris")),
    ...lookedAtBy(guard),
  });
  const before = at.gateway.admin.ledger.balanceOf("paying").avail;
  const lines = [chatLine("a", "Where?"), chatLine("b", "A secret"), chatLine("c", "Paris?")];
  const batch = await at.ended((await at.create(lines)).id);
  assert.deepEqual(batch.request_counts, { total: 3, completed: 2, failed: 1 });
  assert.deepEqual([batch.usage.input_tokens, batch.usage.output_tokens], [20, 10]);
  for (const { response } of await at.lines(batch.output_file_id)) {
    assert.equal(response!.body.choices[0].message.content, "In ***");
  }
  const [failed] = await at.lines(batch.error_file_id);
  assert.deepEqual([failed!.custom_id, failed!.response!.status_code], ["b", 403]);
  assert.equal(failed!.response!.body.error.code, "refused_by_guard");
  assert.equal(at.upstream.requests.length, 2);
  assert.doesNotMatch(at.upstream.requests.map(({ body }) => body).join(), /Paris|secret/);
  assert.equal(before - at.gateway.admin.ledger.balanceOf("paying").avail, 2n * 2_000n);
});

Deno.test("a line whose answer the guard could not look at is asked again, and is charged once", async () => {
  let answers = 0;
  await using guard = await startGuard(({ type }) => {
    if (type !== "guard.answer") return allow();
    return answers++ === 0 ? jsonReply({}, { status: 500 }) : allow();
  });
  await using at = await startBatchScene(lookedAtBy(guard));
  const before = at.gateway.admin.ledger.balanceOf("paying").avail;
  const batch = await at.ended((await at.create([chatLine("a")])).id);
  assert.deepEqual(batch.request_counts, { total: 1, completed: 1, failed: 0 });
  const [line] = await at.lines(batch.output_file_id);
  assert.equal(line!.response!.body.choices[0].message.content, "Hi");
  assert.equal(at.upstream.requests.length, 1);
  assert.equal(before - at.gateway.admin.ledger.balanceOf("paying").avail, 2_000n);
});

Deno.test("what the guard refuses counts in requests per minute", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using guard = await startGuard(() => jsonReply({ action: "refuse" }));
  await using gateway = await startTestGateway({
    catalogue: twoRoutes(upstream.url, upstream.url).replace(
      "{ id: paying, unlimited: false }",
      "{ id: paying, unlimited: true, limits: { requests_per_minute: 2 } }",
    ),
    ...lookedAtBy(guard, { answers: false }),
  });
  const key = await gateway.key("paying");
  const ask = async (model: string) =>
    (await askJson(gateway, {
      key,
      path: "/chat/completions",
      body: { model, messages: [{ role: "user", content: "Hi" }] },
    }))[0];
  assert.deepEqual([await ask("m"), await ask("m"), await ask("m")], [403, 403, 429]);
  assert.equal(guard.requests.length, 2, "who is over the limit has nobody asked");
  guard.answer(allow());
  const other = await gateway.key("default");
  const [unknown] = await askJson(gateway, {
    key: other,
    path: "/chat/completions",
    body: { model: "none", messages: [{ role: "user", content: "Hi" }] },
  });
  assert.equal(unknown, 404);
});
