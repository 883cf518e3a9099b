/**
 * Traces of the program at a collector that reads OTLP/JSON strictly: what a call's spans say, how
 * they hang together, and what upstreams hear of them.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as z from "zod";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";

/** opentelemetry-proto 1.x, trace/v1 and common/v1, as Protobuf's JSON mapping has them; nothing else. */
const anyValue = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
]);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value: anyValue }));
const nanoseconds = z.string().regex(/^1\d{18}$/);
const span = z.strictObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().regex(/^[0-9a-f]{16}$/).optional(),
  traceState: z.string().optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  status: z.strictObject({ code: z.literal(2), message: z.string() }).or(z.strictObject({})),
});
const exported = z.strictObject({
  resourceSpans: z.array(z.strictObject({
    resource: z.strictObject({ attributes }),
    scopeSpans: z.array(z.strictObject({
      scope: z.strictObject({ name: z.string() }),
      spans: z.array(span).min(1),
    })),
  })),
});

type Span = z.output<typeof span>;

/** Takes traces from now on. */
function startCollector() {
  const spans: Span[] = [];
  const faults: unknown[] = [];
  const requests: { readonly path: string; readonly headers: Headers }[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    requests.push({ path: new URL(request.url).pathname, headers: new Headers(request.headers) });
    try {
      const { resourceSpans } = exported.parse(await request.json());
      spans.push(
        ...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)),
      );
    } catch (error) {
      faults.push(error);
    }
    return Response.json({});
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    ...{ spans, faults, requests },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Ends it as an operator does: the last spans go then. */
async function stopped({ server }: ServedGateway): Promise<void> {
  server.process.kill("SIGTERM");
  assert.equal((await server.process.status).code, 0);
}

const told = ({ attributes }: Span): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const HELLO = { model: "small", messages: [{ role: "user", content: "A secret prompt" }] };
const ANSWER = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "up-small",
  choices: [{
    index: 0,
    message: { role: "assistant", content: "A secret answer" },
    finish_reason: "stop",
  }],
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
};

const catalogueOf = (bad: string, good: string) => `
currency: USD
providers:
  - { id: bad, kind: openai_compatible, base_url: "${bad}", api_key: "env:UP_KEY" }
  - { id: good, kind: openai_compatible, base_url: "${good}", api_key: "env:UP_KEY" }
models:
  - id: small
    kind: chat
    routes:
      - { id: bad/small, provider: bad, upstream_model: up-bad, priority: 0, sale: { free: true } }
      - { id: good/small, provider: good, upstream_model: up-small, priority: 1, cost: { input: "1", output: "1" }, sale: { free: true } }
projects:
  - { id: team, unlimited: true }
`;

Deno.test("a call, its attempts and its settling are spans of the trace that the request came with", async () => {
  await using collector = startCollector();
  await using bad = await startFakeUpstream(
    jsonReply({ error: { message: "No" } }, { status: 500 }),
  );
  await using good = await startFakeUpstream(jsonReply(ANSWER));
  await using gateway = await serveGateway({
    args: ["--otlp-url", collector.url],
    env: {
      UP_KEY: "upstream-secret-0123",
      TOLLGATE_OTLP_HEADERS: "authorization=Bearer%20collector-secret",
    },
    catalogue: catalogueOf(bad.url, good.url),
  });
  const key = await gateway.key("team");
  const answer = await gateway.chat(key, HELLO, {
    headers: { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: "vendor=1" },
  });
  assert.equal(answer.status, 200);
  const requestId = answer.headers.get("x-request-id")!;
  await answer.text();
  const unsampled = await gateway.chat(key, HELLO, {
    headers: { traceparent: `00-${"a".repeat(32)}-${PARENT}-00` },
  });
  await unsampled.text();
  const fresh = await gateway.chat(key, HELLO);
  const other = fresh.headers.get("x-request-id")!;
  await fresh.text();
  await stopped(gateway);
  assert.deepEqual(collector.faults, []);
  const request = collector.requests[0]!;
  assert.equal(request.path, "/v1/traces");
  assert.equal(request.headers.get("content-type"), "application/json");
  assert.equal(request.headers.get("authorization"), "Bearer collector-secret");

  const spans = collector.spans.filter(({ traceId }) => traceId === TRACE);
  const call = spans.find(({ kind }) => kind === 2)!;
  const attempts = spans.filter(({ kind }) => kind === 3);
  const settle = spans.find(({ name }) => name === "settle")!;
  assert.equal(call.parentSpanId, PARENT);
  assert.equal(call.traceState, "vendor=1");
  assert.equal(call.name, "chat small");
  assert.deepEqual(call.status, {});
  const facts = told(call);
  assert.deepEqual(
    {
      id: facts["tollgate.request_id"],
      operation: facts["gen_ai.operation.name"],
      provider: facts["gen_ai.provider.name"],
      input: facts["gen_ai.usage.input_tokens"],
      output: facts["gen_ai.usage.output_tokens"],
      status: facts["http.response.status_code"],
      cost: facts["tollgate.cost"],
    },
    {
      id: requestId,
      operation: "chat",
      provider: "good",
      input: "11",
      output: "7",
      status: "200",
      cost: "0.00001800",
    },
  );
  assert.ok(attempts.length >= 2);
  for (const inner of [...attempts, settle]) {
    assert.equal(inner.parentSpanId, call.spanId);
    assert.ok(BigInt(inner.startTimeUnixNano) >= BigInt(call.startTimeUnixNano));
    assert.ok(BigInt(inner.endTimeUnixNano) <= BigInt(call.endTimeUnixNano));
  }
  const [failed] = attempts.filter((one) => told(one)["tollgate.route"] === "bad/small");
  assert.deepEqual(failed!.status, { code: 2, message: "broken" });
  assert.equal(told(failed!)["http.response.status_code"], "500");
  const served = attempts.find((one) => told(one)["tollgate.route"] === "good/small")!;
  assert.equal(served.name, "chat up-small");

  // Upstreams hear of the attempt that asks them, whether or not it is told to anybody.
  const parents = good.requests.map(({ headers }) => headers.get("traceparent"));
  assert.equal(parents[0], `00-${TRACE}-${served.spanId}-01`);
  assert.equal(good.requests[0]!.headers.get("tracestate"), "vendor=1");
  assert.equal(bad.requests[0]!.headers.get("traceparent"), `00-${TRACE}-${failed!.spanId}-01`);
  assert.match(parents[1]!, /^00-a{32}-[0-9a-f]{16}-00$/);
  assert.ok(!collector.spans.some(({ traceId }) => traceId === "a".repeat(32)));
  const begun = collector.spans.find((one) => told(one)["tollgate.request_id"] === other)!;
  assert.equal(begun.parentSpanId, undefined);
  assert.notEqual(begun.traceId, TRACE);

  const everything = JSON.stringify(collector.spans);
  for (
    const secret of [key, "secret prompt", "secret answer", "upstream-secret", "collector-secret"]
  ) {
    assert.ok(!everything.includes(secret), secret);
  }
  assert.doesNotMatch(gateway.server.stderr, /collector-secret|spans_dropped/);
});

Deno.test("a collector that is not there costs no call anything, and the log says what was dropped", async () => {
  const gone = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = gone.addr;
  gone.close();
  await using gateway = await serveGateway({ args: ["--otlp-url", `http://127.0.0.1:${port}`] });
  const answer = await gateway.chat(gateway.server.key, { ...HELLO, model: "echo-1" });
  assert.equal(answer.status, 200);
  await answer.text();
  await stopped(gateway);
  assert.match(gateway.server.stderr, /spans_dropped/);
});

Deno.test("without --otlp-url upstreams hear of no trace", async () => {
  await using good = await startFakeUpstream(jsonReply(ANSWER));
  await using gateway = await serveGateway({
    env: { UP_KEY: "upstream-secret-0123" },
    catalogue: catalogueOf(good.url, good.url),
  });
  const key = await gateway.key("team");
  const traceparent = `00-${TRACE}-${PARENT}-01`;
  await (await gateway.chat(key, HELLO, { headers: { traceparent } })).text();
  assert.equal(good.requests[0]!.headers.get("traceparent"), undefined);
});
