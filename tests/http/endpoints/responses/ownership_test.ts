/**
 * Who may look at, cancel and delete a kept answer.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody } from "../../../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../../../support/fake_upstream.ts";
import { keptResponses, startResponsesGateway } from "../../../support/responses_gateway.ts";

const OPERATIONS = [
  ["GET", ""],
  ["GET", "/input_items"],
  ["POST", "/cancel"],
  ["DELETE", ""],
] as const;
const PREFIXES = ["/v1", "/api/gateway/v1"] as const;

Deno.test("only the project that asked may do anything with a kept answer", async () => {
  await using upstream = await startFakeUpstream({
    ...jsonReply(answerBody("Hi")),
    before: ["stall!"],
  });
  await using gateway = await startResponsesGateway(upstream.url, { drainTimeoutMs: 1 });
  const colleague = await gateway.key("paying");
  for (const prefix of PREFIXES) {
    for (const [method, path] of OPERATIONS) {
      const { id } = await gateway.respond({ input: "Hi", background: true }, { prefix });
      const target = `/responses/${id}${path}`;
      const never = `/responses/resp_${"a".repeat(40)}${path}`;
      const foreign = await gateway.api(method, target, { prefix, key: gateway.stranger });
      const unknown = await gateway.api(method, never, { prefix, key: gateway.stranger });
      assert.deepEqual([foreign.status, foreign.body], [404, unknown.body], target);
      assert.equal(foreign.body.error.code, "response_not_found");
      const keyless = await gateway.api(method, target, { prefix, key: "sk-tg-wrong" });
      assert.deepEqual([keyless.status, keyless.body.error.code], [401, "PROJECT_KEY_INVALID"]);
      // Nothing has happened to it, and a colleague with another key may.
      const own = await gateway.api("GET", `/responses/${id}`, { prefix, key: colleague });
      assert.deepEqual([own.status, own.body.status], [200, "queued"]);
      const done = await gateway.api(method, target, { prefix, key: colleague });
      assert.equal(done.status, 200, JSON.stringify(done.body));
    }
  }
  assert.deepEqual(
    (await keptResponses(gateway)).map(({ status }) => status),
    ["queued", "queued", "cancelled", "queued", "queued", "cancelled"],
  );
});

Deno.test("ids that no answer has are not found, whatever they look like", async () => {
  await using gateway = await startResponsesGateway();
  const { id } = await gateway.respond({ model: "echo-1", input: "Hi" });
  const strange = [
    id.toUpperCase(),
    id.slice(0, -1),
    `${id}a`,
    `${id}%00`,
    `%20${id}`,
    "resp_",
    "%27%20OR%201=1",
    "x".repeat(2_000),
    encodeURIComponent("漢字"),
  ];
  for (const name of strange) {
    for (const [method, path] of OPERATIONS) {
      const { status, body } = await gateway.api(method, `/responses/${name}${path}`);
      assert.deepEqual([status, body.error.code], [404, "response_not_found"], `${method} ${name}`);
    }
  }
  assert.equal((await gateway.api("GET", `/responses/${id}`)).status, 200);
});

Deno.test("a kept answer is shown as it was given, until it is deleted", async () => {
  await using gateway = await startResponsesGateway();
  const given = await gateway.respond({ model: "echo-1", input: "Hi", metadata: { a: "b" } });
  assert.deepEqual((await gateway.api("GET", `/responses/${given.id}`)).body, given);
  const stream = await gateway.api("GET", `/responses/${given.id}?stream=true`);
  assert.deepEqual([stream.status, stream.body.error.param], [400, "stream"]);
  const deleted = await gateway.api("DELETE", `/responses/${given.id}`);
  assert.deepEqual(deleted.body, { id: given.id, object: "response", deleted: true });
  for (const [method, path] of OPERATIONS) {
    assert.equal((await gateway.api(method, `/responses/${given.id}${path}`)).status, 404);
  }
  assert.deepEqual(await keptResponses(gateway), []);
});

Deno.test("input items are listed in pages, the last one first", async () => {
  await using gateway = await startResponsesGateway();
  const texts = Array.from({ length: 45 }, (_, index) => `Line ${index}`);
  const { id } = await gateway.respond({
    model: "echo-1",
    input: texts.map((content) => ({ role: "user", content })),
  });
  const page = async (query: string) =>
    (await gateway.api("GET", `/responses/${id}/input_items${query}`)).body;
  const lines = (list: { data: { content: { text: string }[] }[] }) =>
    list.data.map(({ content }) => content[0]!.text);

  const first = await page("");
  assert.equal(first.object, "list");
  assert.deepEqual(lines(first), texts.slice(25).reverse());
  assert.deepEqual([first.first_id, first.last_id, first.has_more], [
    first.data[0].id,
    first.data[19].id,
    true,
  ]);
  const seen = [...lines(first)];
  for (let list = first; list.has_more;) {
    list = await page(`?after=${list.last_id}`);
    seen.push(...lines(list));
  }
  assert.deepEqual(seen.reverse(), texts);
  assert.deepEqual(lines(await page("?order=asc&limit=3")), texts.slice(0, 3));
  assert.equal((await page("?limit=100")).has_more, false);
  const end = await page(`?order=asc&after=${first.data[0].id}`);
  assert.deepEqual(end, {
    object: "list",
    data: [],
    first_id: null,
    last_id: null,
    has_more: false,
  });
  for (
    const [query, param] of [
      ["?limit=0", "limit"],
      ["?limit=101", "limit"],
      ["?limit=1e1", "limit"],
      ["?order=up", "order"],
      ["?after=msg_none", "after"],
    ]
  ) {
    const { status, body } = await gateway.api("GET", `/responses/${id}/input_items${query}`);
    assert.deepEqual([status, body.error.code, body.error.param], [400, "invalid_value", param]);
  }
});
