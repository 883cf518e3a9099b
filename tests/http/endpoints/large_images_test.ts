/**
 * Images that are too large for memory: by way of the disk, whole and in streams.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply, rawSseReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { startMediaGateway } from "../../support/media_gateway.ts";
import { until } from "../../support/until.ts";

const path = "/v1/images/generations";
const ask = { model: "painter-by-image", prompt: "A fox" };
const MIB = 1024 ** 2;
const image = (letter: string) => letter.repeat(8 * MIB);

/** What requests have on the disk. */
const spooled = (dataDir: string) => [...Deno.readDirSync(`${dataDir}/uploads`)].length;

Deno.test("images of 40 MiB pass through a gateway that has 2 MiB for all bodies and answers", async () => {
  const letters = ["A", "B", "C", "D", "E"];
  const data = letters.map((letter) => ({ b64_json: image(letter), revised_prompt: letter }));
  await using upstream = await startFakeUpstream(jsonReply({ created: 1, data }));
  await using gateway = await startMediaGateway(upstream.url, { maxInFlightBytes: 2 * MIB });
  const response = await gateway.post(path, { ...ask, n: 5 });
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body).slice(0, 500));
  assert.deepEqual(
    body.data.map((one: { b64_json: string }) => [one.b64_json.length, one.b64_json.at(-1)]),
    letters.map((letter) => [8 * MIB, letter]),
  );
  assert.equal(body.data[4].revised_prompt, "E");
  assert.equal(body.pricing.sale_amount, "0.20000000");
  await until("no file is left", () => spooled(gateway.dataDir) === 0);

  const form = new FormData();
  for (const [name, value] of Object.entries({ ...ask, n: "5" })) form.set(name, value);
  form.set("image", new Blob(["image"]), "a.png");
  const edited = await gateway.ask("/v1/images/edits", form);
  assert.equal(edited.data[3].b64_json, image("D"));
  await until("no file is left", () => spooled(gateway.dataDir) === 0);
});

Deno.test("a stream's images do, each gone from the disk when it is sent", async () => {
  const event = (type: string, letter: string) =>
    `data: ${JSON.stringify({ type, b64_json: image(letter) })}\n\n`;
  await using upstream = await startFakeUpstream(rawSseReply([
    event("image_generation.partial_image", "A"),
    event("image_generation.partial_image", "B"),
    event("image_generation.completed", "C"),
  ]));
  await using gateway = await startMediaGateway(upstream.url, { maxInFlightBytes: 2 * MIB });
  const response = await gateway.post(path, { ...ask, stream: true });
  const text = await response.text();
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data!));
  assert.deepEqual(events.map(({ b64_json }) => b64_json), [image("A"), image("B"), image("C")]);
  assert.equal(events[2].pricing.sale_amount, "0.04000000");
  await until("no file is left", () => spooled(gateway.dataDir) === 0);
});

Deno.test("nothing stays on the disk of an answer whose caller leaves, nor of one that breaks", async () => {
  await using upstream = await startFakeUpstream((request) =>
    request.json().n === 1
      ? jsonReply({ created: 1, data: [{ b64_json: image("A") }] })
      : jsonReply({ created: 1, data: [{ b64_json: image("A") + " " }] })
  );
  await using gateway = await startMediaGateway(upstream.url);
  const leaving = new AbortController();
  const response = await gateway.post(path, { ...ask, n: 1 }, { signal: leaving.signal });
  assert.equal(response.status, 200);
  assert.equal(spooled(gateway.dataDir), 1);
  leaving.abort();
  await until("no file is left", () => spooled(gateway.dataDir) === 0);
  const before = gateway.spendable();
  const broken = await gateway.post(path, { ...ask, n: 2 });
  assert.equal(broken.status, 503);
  assert.doesNotMatch(await broken.text(), /long-text/);
  assert.equal(gateway.spendable(), before);
  await until("no file is left", () => spooled(gateway.dataDir) === 0);
});

Deno.test("an answer that is kept for its key is kept whole", async () => {
  const large = "A".repeat(100_000);
  await using upstream = await startFakeUpstream(
    jsonReply({ created: 1, data: [{ b64_json: large }] }),
  );
  await using gateway = await startMediaGateway(upstream.url);
  const headers = { "idempotency-key": "one" };
  for (const times of [1, 2]) {
    const { data } = await (await gateway.post(path, ask, { headers })).json();
    assert.equal(data[0].b64_json, large, String(times));
  }
  assert.equal(upstream.requests.length, 1);
  assert.equal(spooled(gateway.dataDir), 0);
});
