/**
 * The program from its first start to its last signal, and after a crash.
 *
 * @module
 */

import assert from "node:assert/strict";
import { chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import { programKind } from "../support/executable.ts";
import { sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";

const ask = { model: "m", messages: [{ role: "user", content: "Hello" }] };
const NONE = "0.00000000";

function catalogue(upstreamUrl: string): string {
  const price = `cost: { input: "1", output: "2" }, sale: { input: "2", output: "4" }`;
  return `
providers:
  - { id: builtin, kind: builtin }
  - { id: remote, kind: openai_compatible, base_url: "${upstreamUrl}", auth: none }
models:
  - id: m
    kind: chat
    routes: [{ id: remote/m, provider: remote, upstream_model: m, ${price} }]
  - id: echo-1
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, upstream_model: echo-1, ${price} }]
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;
}

/** A gateway with a project that pays from a balance of 10. */
async function servePaying(upstreamUrl: string, args: readonly string[] = []) {
  const gateway = await serveGateway({ catalogue: catalogue(upstreamUrl), args });
  await gateway.cli("projects", "credit", "paying", "10");
  return { gateway, key: await gateway.key("paying") };
}

/** A stream of which the first text has arrived. */
async function startStream(gateway: ServedGateway, key: string) {
  const response = await gateway.chat(key, { ...ask, stream: true });
  assert.equal(response.status, 200);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("Hi")) {
    const { value, done } = await reader.read();
    assert.equal(done, false, "the stream ended before its first text");
    text += value;
  }
  return {
    requestId: response.headers.get("x-request-id")!,
    async rest(): Promise<string> {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        text += part.value;
      }
      return text;
    },
    /** The end of a stream whose server is gone. */
    async end(): Promise<void> {
      await reader.read().catch(() => {});
      await reader.cancel().catch(() => {});
    },
  };
}

async function balanceOf(gateway: ServedGateway, project = "paying") {
  const rows = await gateway.cli("projects", "list");
  const { balance, held } = rows.find((row: { id: string }) => row.id === project);
  return { balance, held };
}

async function assertBooksAddUp(gateway: ServedGateway): Promise<void> {
  const { differences } = await gateway.cli("ledger", "verify");
  assert.deepEqual(differences, []);
}

async function errorOf(response: Response) {
  return { status: response.status, ...(await response.json()).error };
}

const asNobody = "an unprivileged user serves from an empty folder, and the pasted call works";
const canBecomeNobody = programKind === "executable" && Deno.uid() === 0;
Deno.test(asNobody, { ignore: !canBecomeNobody }, async () => {
  const cwd = await Deno.makeTempDir({ prefix: "tollgate-nobody-" });
  try {
    await Deno.copyFile(Deno.env.get("TOLLGATE_BINARY") ?? "", `${cwd}/tollgate`);
    await Deno.chown(cwd, 65534, 65534);
    const process = new Deno.Command(`${cwd}/tollgate`, {
      args: ["--listen", "127.0.0.1:0"],
      cwd,
      uid: 65534,
      gid: 65534,
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    let printed = "";
    for await (const text of process.stdout.pipeThrough(new TextDecoderStream())) {
      printed += text;
      if (!printed.endsWith("\n\n") || !printed.includes("curl ")) continue;
      const data = `${cwd}/tollgate_data`;
      assert.ok(printed.includes(data), printed);
      assert.equal((await Deno.stat(data)).mode! & 0o777, 0o700);
      const pasted = new Deno.Command("bash", {
        args: ["-c", printed.slice(printed.indexOf("curl "))],
        env: { no_proxy: "*" },
      });
      const { stdout } = await pasted.output();
      const answer = JSON.parse(new TextDecoder().decode(stdout));
      assert.match(answer.choices[0].message.content, /Hello/);
      assert.equal(answer.provider, "builtin");
      assert.equal(answer.route, "builtin/echo-1");
      assert.ok(answer.usage.total_tokens > 0);
      assert.deepEqual(answer.pricing, { currency: "USD", cost_amount: NONE, sale_amount: NONE });
      process.kill("SIGTERM");
    }
    assert.equal((await process.status).code, 0);
    assert.deepEqual(
      [...Deno.readDirSync(cwd)].map(({ name }) => name).sort(),
      ["tollgate", "tollgate_data"],
    );
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
});

Deno.test("SIGTERM lets the streams under way finish, refuses new calls and ends with 0", async () => {
  const gate = Promise.withResolvers<void>();
  await using upstream = await startFakeUpstream(sseReply([
    chunk({ role: "assistant", content: "Hi" }),
    gate.promise,
    chunk({ content: " and bye" }),
    finishChunk(),
    usageChunk(1000, 500),
    "[DONE]",
  ]));
  const { gateway, key } = await servePaying(upstream.url);
  await using _ = gateway;
  const ready = await fetch(`${gateway.url}/readyz`);
  assert.deepEqual([ready.status, await ready.json()], [200, { status: "ready", reasons: [] }]);
  const stream = await startStream(gateway, key);

  const stopped = gateway.server.stop();
  await gateway.server.waitForOutput(/Stopping when 1 call/);
  const draining = await fetch(`${gateway.url}/readyz`);
  const { status, reasons } = await draining.json();
  assert.deepEqual([draining.status, status, reasons.length], [503, "not_ready", 1]);
  const health = await fetch(`${gateway.url}/healthz`);
  assert.equal(health.status, 200);
  await health.body?.cancel();
  const late = await gateway.chat(key, ask);
  assert.match(late.headers.get("retry-after") ?? "", /^\d+$/);
  const refused = await errorOf(late);
  assert.deepEqual([refused.status, refused.code, refused.type], [
    503,
    "shutting_down",
    "server_error",
  ]);

  gate.resolve();
  const text = await stream.rest();
  assert.match(text, / and bye/);
  assert.ok(text.endsWith("data: [DONE]\n\n"));
  const { code, signal, stderr } = await stopped;
  assert.deepEqual([code, signal], [0, null]);
  assert.match(stderr, /Stopping when 1 call under way has ended/);
  assert.doesNotMatch(stderr, /"level":"error"/);

  await using again = await serveGateway({ dataDir: gateway.server.dataDir });
  // 1000 x 2 + 500 x 4 per million.
  assert.deepEqual(await balanceOf(again), { balance: "9.99600000", held: NONE });
  const call = await again.get(`/v1/calls/${stream.requestId}`, key);
  assert.deepEqual([call.state, call.usage_source], ["settled", "reported"]);
  await assertBooksAddUp(again);
});

Deno.test("a drain that takes too long ends its streams with an error frame, free of charge", async () => {
  await using upstream = await startFakeUpstream(
    sseReply([chunk({ role: "assistant", content: "Hi" }), "stall!"]),
  );
  const { gateway, key } = await servePaying(upstream.url, ["--drain-timeout-ms", "100"]);
  await using _ = gateway;
  const stream = await startStream(gateway, key);
  const stopped = gateway.server.stop();
  const text = await stream.rest();
  assert.doesNotMatch(text, /\[DONE\]/);
  const frame = JSON.parse(text.trimEnd().split("\n\n").at(-1)!.slice("data: ".length));
  assert.deepEqual(Object.keys(frame), ["error"]);
  assert.equal(frame.error.code, "shutting_down");
  assert.equal((await stopped).code, 0);
  await upstream.requests[0]!.closed;
  await using again = await serveGateway({ dataDir: gateway.server.dataDir });
  assert.deepEqual(await balanceOf(again), { balance: "10.00000000", held: NONE });
  await assertBooksAddUp(again);
});

Deno.test("after kill -9 in mid-call the hold is given back once, and what was settled stays", async () => {
  let calls = 0;
  await using upstream = await startFakeUpstream(() =>
    ++calls === 1
      ? sseReply([
        chunk({ role: "assistant", content: "Hi" }),
        finishChunk(),
        usageChunk(1000, 500),
        "[DONE]",
      ])
      : sseReply([chunk({ role: "assistant", content: "Hi" }), "stall!"])
  );
  const { gateway, key } = await servePaying(upstream.url);
  await using _ = gateway;
  const settled = await startStream(gateway, key);
  assert.match(await settled.rest(), /\[DONE\]/);
  const lost = await startStream(gateway, key);
  // Asking for the call waits until its hold is on disk.
  const open = await gateway.cli("calls", "show", lost.requestId);
  assert.equal(open.state, "open");
  assert.notEqual(open.held, NONE);
  assert.deepEqual((await balanceOf(gateway)).held, open.held);
  const { signal } = await gateway.server.kill();
  assert.equal(signal, "SIGKILL");
  await lost.end();

  const after = { balance: "9.99600000", held: NONE };
  for (const start of ["first", "second"]) {
    await using again = await serveGateway({ dataDir: gateway.server.dataDir });
    assert.deepEqual(await balanceOf(again), after, `${start} start`);
    const shown = await again.cli("calls", "show", lost.requestId);
    const { state, result, charged, loss } = shown;
    assert.deepEqual({ state, result, charged, loss }, {
      state: "released",
      result: "gateway_stopped",
      charged: NONE,
      loss: open.held,
    });
    const kept = await again.cli("calls", "show", settled.requestId);
    assert.deepEqual([kept.state, kept.charged], ["settled", "0.00400000"]);
    await assertBooksAddUp(again);
    const next = await again.chat(key, { ...ask, model: "echo-1", messages: [] });
    assert.equal((await errorOf(next)).code, "invalid_value");
    await again.server.kill();
  }
});

Deno.test("every answer that was given before kill -9 is settled after it", async () => {
  const { gateway, key } = await servePaying("http://127.0.0.1:9/v1");
  await using _ = gateway;
  const answered: { id: string; charged: bigint }[] = [];
  const enough = Promise.withResolvers<void>();
  async function callUntilCut(stream: boolean): Promise<void> {
    try {
      for (;;) {
        const response = await gateway.chat(key, { ...ask, model: "echo-1", stream });
        const text = await response.text();
        assert.equal(response.status, 200, text);
        assert.ok(!stream || text.endsWith("data: [DONE]\n\n"));
        const [, sale] = /"sale_amount":"([\d.]+)"/.exec(text)!;
        answered.push({ id: response.headers.get("x-request-id")!, charged: units(sale!) });
        if (answered.length === 100) enough.resolve();
      }
    } catch (error) {
      // The connection ends with the process.
      assert.ok(error instanceof TypeError, String(error));
    }
  }
  const callers = [true, false, true, false, true, false].map(callUntilCut);
  await Promise.race([enough.promise, Promise.all(callers)]);
  await gateway.server.kill();
  await Promise.all(callers);
  assert.ok(answered.length >= 100);

  await using again = await serveGateway({ dataDir: gateway.server.dataDir });
  let sum = 0n;
  for (const { id, charged } of answered) {
    const call = await again.get(`/v1/calls/${id}`, key);
    assert.deepEqual([call.state, units(call.pricing.charged_amount)], ["settled", charged]);
    sum += charged;
  }
  const { balance, held } = await balanceOf(again);
  assert.equal(held, NONE);
  // Calls that were settled and whose answer was cut off are charged too.
  const paid = units("10.00000000") - units(balance);
  assert.ok(paid >= sum && paid <= sum + 6n * answered[0]!.charged, `${paid} of ${sum}`);
  await assertBooksAddUp(again);
});

/** An amount in units of 1e-8. */
function units(amount: string): bigint {
  return BigInt(amount.replace(".", ""));
}

Deno.test("what the command line changes is in effect with the next call", async () => {
  await using upstream = await startFakeUpstream([]);
  const { gateway, key } = await servePaying(upstream.url);
  await using _ = gateway;
  const echo = { ...ask, model: "echo-1" };
  async function outcome(body: object = echo, by = key) {
    const response = await gateway.chat(by, body);
    if (response.status !== 200) return await errorOf(response);
    await response.body?.cancel();
    return { status: 200 };
  }
  assert.equal((await outcome()).status, 200);
  const rows = await gateway.cli("keys", "list");
  const { id } = rows.find((row: { prefix: string }) => key.startsWith(row.prefix));

  await gateway.cli("keys", "disable", id);
  const disabled = await outcome();
  assert.deepEqual([disabled.status, disabled.code], [401, "PROJECT_KEY_DISABLED"]);
  await gateway.cli("keys", "enable", id);
  assert.equal((await outcome()).status, 200);

  await gateway.cli("projects", "disable", "paying");
  assert.equal((await outcome()).code, "PROJECT_KEY_DISABLED");
  await gateway.cli("projects", "enable", "paying");

  for (const [verb, reason] of [["disable", "disabled"], ["maintenance", "maintenance"]] as const) {
    await gateway.cli("routes", verb, "builtin/echo-1");
    const off = await outcome();
    assert.deepEqual([off.status, off.code], [503, "NO_AVAILABLE_ROUTE"]);
    assert.deepEqual(off.routes, [{ route: "builtin/echo-1", provider: "builtin", reason }]);
    const model = await gateway.get("/v1/models/echo-1", key);
    assert.equal(model.source_count, 0);
    await gateway.cli("routes", "enable", "builtin/echo-1");
    if (verb === "maintenance") {
      await gateway.cli("routes", "maintenance", "builtin/echo-1", "--off");
    }
    assert.equal((await outcome()).status, 200);
  }

  const extra = `
  - id: new-model
    kind: chat
    routes: [{ id: builtin/new, provider: builtin, upstream_model: echo-1, free: true }]
projects:`;
  assert.equal((await outcome({ ...ask, model: "new-model" })).code, "model_not_found");
  await gateway.apply(catalogue(upstream.url).replace("\nprojects:", extra));
  assert.equal((await outcome({ ...ask, model: "new-model" })).status, 200);
  await gateway.apply(catalogue(upstream.url));
  assert.equal((await outcome({ ...ask, model: "new-model" })).code, "model_not_found");

  const poor = await gateway.cli("projects", "create", "poor");
  assert.equal(poor.balance, NONE);
  const poorKey = await gateway.key("poor");
  assert.equal((await outcome(echo, poorKey)).code, "INSUFFICIENT_BALANCE");
  await gateway.cli("projects", "credit", "poor", "1");
  assert.equal((await outcome(echo, poorKey)).status, 200);

  await gateway.cli("keys", "delete", id);
  assert.equal((await outcome()).code, "PROJECT_KEY_INVALID");
  assert.equal(upstream.requests.length, 0);
  await assertBooksAddUp(gateway);
});

Deno.test("all sockets of `ulimit -n` in use do not end the process", async () => {
  await using gateway = await serveGateway({
    openFiles: 128,
    catalogue: catalogue("http://127.0.0.1:9/v1"),
  });
  const { key } = gateway.server;
  const { hostname, port } = new URL(gateway.url);
  const idle: Deno.Conn[] = [];
  try {
    for (let count = 0; count < 300; count++) {
      idle.push(await Deno.connect({ hostname, port: Number(port) }));
    }
    // The ones it has no room for are closed; it says so once the last has been looked at.
    await Promise.any(idle.map(async (conn) => {
      const count = await conn.read(new Uint8Array(1)).catch(() => null);
      assert.equal(count, null);
    }));
  } finally {
    for (const conn of idle) conn.close();
  }
  for (let count = 0; count < 20; count++) {
    const answer = await untilServed(() => gateway.chat(key, { ...ask, model: "echo-1" }));
    assert.equal((await answer.json()).choices[0].finish_reason, "stop");
  }
  await assertBooksAddUp(gateway);
  const { code } = await gateway.server.stop();
  assert.equal(code, 0);
});

/** Tries again while the server has not noticed yet that connections were closed. */
async function untilServed(call: () => Promise<Response>): Promise<Response> {
  for (let attempt = 0;; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt > 200 || !(error instanceof TypeError)) throw error;
    }
  }
}
