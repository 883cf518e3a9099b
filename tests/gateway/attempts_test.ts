import assert from "node:assert/strict";
import {
  jsonReply,
  rawSseReply,
  sseReply,
  startFakeUpstream,
  textReply,
} from "../support/fake_upstream.ts";
import { answerBody, chunk, finishChunk, twoRoutes, usageChunk } from "../support/chat_bodies.ts";
import { startTestGateway } from "../support/gateway.ts";

const ask = { model: "m", messages: [{ role: "user", content: "Hello" }] };

Deno.test("a failing route falls back to the next, and the answer says which one served", async () => {
  await using first = await startFakeUpstream(
    jsonReply({ error: { message: "boom" } }, { status: 500 }),
  );
  await using second = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await startTestGateway({ catalogue: twoRoutes(first.url, second.url) });
  const response = await gateway.chat({ ...ask, routing_preference: "lowest_price" });
  const body = await response.json();
  assert.equal(response.status, 200);
  assert.equal(body.route, "b/m");
  assert.equal(body.provider, "b");
  assert.equal(body.model, "m");
  assert.equal(body.choices[0].message.content, "Hi");
  assert.equal(first.requests.length, 1);
  assert.equal(second.requests.length, 1);
  // Nothing of ours goes upstream.
  assert.equal("routing_preference" in second.requests[0]!.json(), false);
});

Deno.test("a fault of the request is not retried and keeps the upstream's status, code and words", async () => {
  await using first = await startFakeUpstream(
    jsonReply({
      error: {
        message: "temperature is too high",
        type: "invalid_request_error",
        code: "bad_temperature",
        param: "temperature",
      },
    }, { status: 400 }),
  );
  await using second = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await startTestGateway({ catalogue: twoRoutes(first.url, second.url) });
  const response = await gateway.chat({
    ...ask,
    routing_preference: "lowest_price",
    temperature: 9,
  });
  const { error } = await response.json();
  assert.equal(response.status, 400);
  assert.deepEqual(
    { code: error.code, param: error.param, message: error.message },
    { code: "bad_temperature", param: "temperature", message: "temperature is too high" },
  );
  assert.equal(second.requests.length, 0);
});

Deno.test("a refusal by content policy keeps its 403: no route cools, none is tried instead", async () => {
  await using upstream = await startFakeUpstream(
    jsonReply({ error: { message: "Flagged", code: "content_policy_violation" } }, { status: 403 }),
  );
  await using gateway = await startTestGateway({
    catalogue: twoRoutes(upstream.url, upstream.url),
  });
  for (let call = 1; call <= 2; call++) {
    const response = await gateway.chat({ ...ask, routing_preference: "lowest_price" });
    const { error } = await response.json();
    assert.equal(response.status, 403);
    assert.equal(error.code, "content_policy_violation");
    assert.equal(error.message, "Flagged");
    assert.equal(upstream.requests.length, call);
  }
});

for (const status of [401, 402, 403, 404]) {
  Deno.test(`an upstream ${status} is the operator's fault: the route cools, the caller sees 503`, async () => {
    await using upstream = await startFakeUpstream(
      jsonReply({ error: { message: "Incorrect API key provided: sk-upstream-secret" } }, {
        status,
      }),
    );
    await using gateway = await startTestGateway({
      catalogue: twoRoutes(upstream.url, upstream.url),
    });
    const response = await gateway.chat({ ...ask, route: "a/m" });
    const text = await response.text();
    assert.equal(response.status, 503);
    assert.match(text, /PROVIDER_TEMPORARILY_UNAVAILABLE/);
    assert.doesNotMatch(text, /sk-upstream|Incorrect API key/);
    assert.equal(upstream.requests.length, 1);
    const again = await (await gateway.chat({ ...ask, route: "a/m" })).json();
    assert.equal(
      again.error.routes.find((r: { route: string }) => r.route === "a/m").reason,
      "cooling_down",
    );
    assert.equal(upstream.requests.length, 1);
  });
}

Deno.test("an exact route is retried, never replaced", async () => {
  const replies = [jsonReply({}, { status: 500 }), jsonReply(answerBody("Hi"))];
  await using first = await startFakeUpstream(replies);
  await using second = await startFakeUpstream(jsonReply(answerBody("no")));
  await using gateway = await startTestGateway({ catalogue: twoRoutes(first.url, second.url) });
  const body = await (await gateway.chat({ ...ask, route: "a/m" })).json();
  assert.equal(body.route, "a/m");
  assert.equal(first.requests.length, 2);
  assert.equal(second.requests.length, 0);
});

for (
  const [name, reply] of [
    ["an HTML page", textReply("text/html", "<html>hello</html>")],
    ["bad JSON", textReply("application/json", '{"choices": [')],
    ["a redirect", jsonReply({}, { status: 302, headers: { location: "http://127.0.0.1:1/" } })],
    ["an error inside a 200", jsonReply({ error: { message: "no", code: null } })],
  ] as const
) {
  Deno.test(`${name} from an upstream is a failed attempt`, async () => {
    await using first = await startFakeUpstream(reply);
    await using second = await startFakeUpstream(jsonReply(answerBody("Hi")));
    await using gateway = await startTestGateway({ catalogue: twoRoutes(first.url, second.url) });
    const body = await (await gateway.chat({ ...ask, routing_preference: "lowest_price" })).json();
    assert.equal(body.route, "b/m");
  });
}

Deno.test("a stream that fails before any output falls back; the caller sees one clean stream", async () => {
  await using first = await startFakeUpstream(
    sseReply([chunk({ role: "assistant", content: "" }), { error: { message: "overloaded" } }]),
  );
  await using second = await startFakeUpstream(
    sseReply([
      chunk({ role: "assistant", content: "Hi" }),
      finishChunk(),
      usageChunk(3, 1),
      "[DONE]",
    ]),
  );
  await using gateway = await startTestGateway({ catalogue: twoRoutes(first.url, second.url) });
  const response = await gateway.chat({ ...ask, stream: true, routing_preference: "lowest_price" });
  const text = await response.text();
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("x-tollgate-route"), "b/m");
  assert.doesNotMatch(text, /overloaded|error/);
  assert.match(text, /data: \[DONE\]\n\n$/);
});

Deno.test("a stream cut after output ends with an error frame, no [DONE], free for the caller", async () => {
  await using upstream = await startFakeUpstream(
    rawSseReply([
      `data: ${JSON.stringify(chunk({ role: "assistant", content: "Half" }))}\n\n`,
      "cut!",
    ]),
  );
  await using gateway = await startTestGateway({
    catalogue: twoRoutes(upstream.url, upstream.url),
  });
  await gateway.credit("paying", "10");
  const key = await gateway.key("paying");
  const response = await gateway.chat({ ...ask, stream: true, route: "a/m" }, { key });
  const text = await response.text();
  const frames = text.trim().split("\n\n");
  const last = JSON.parse(frames.at(-1)!.slice("data: ".length));
  assert.equal(last.error.code, "upstream_error");
  assert.equal("choices" in last, false);
  assert.doesNotMatch(text, /\[DONE\]/);
  const call = await gateway.admin.storage.calls.find(
    await gateway.admin.storage.calls.lastCallId(),
  );
  assert.equal(call?.state, "released");
  if (call?.state !== "released") return;
  assert.equal(call.result, "upstream_failed");
  assert.equal(call.chargedE8, 0n);
  assert.equal(call.lossE8 > 0n, true);
  assert.equal(gateway.admin.ledger.balanceOf("paying").avail, 10_00000000n);
  assert.equal(gateway.admin.ledger.balanceOf("paying").held, 0n);
});
