/**
 * The program from its first start to its last signal.
 *
 * @module
 */

import assert from "node:assert/strict";
import { chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import { programKind } from "../support/executable.ts";
import { sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import {
  ask,
  assertBooksAddUp,
  balanceOf,
  NONE,
  pricedCatalogue,
  servePaying,
  startStream,
} from "../support/paying_gateway.ts";
import { serveGateway } from "../support/served_gateway.ts";

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
    let isOver = false;
    process.status.finally(() => isOver = true);
    try {
      let printed = "";
      for await (const text of process.stdout.pipeThrough(new TextDecoderStream())) {
        printed += text;
        if (!printed.endsWith("\n\n") || !printed.includes("curl ")) continue;
        const data = `${cwd}/tollgate_data`;
        assert.ok(printed.includes(data), printed);
        assert.equal((await Deno.stat(data)).mode! & 0o777, 0o700);
        const pasted = new Deno.Command("bash", {
          args: ["-c", /^curl .*(?:\n {2}.*)+/m.exec(printed)![0]],
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
    } finally {
      if (!isOver) process.kill("SIGTERM");
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
  assert.deepEqual([ready.status, await ready.json()], [200, {
    status: "ready",
    reasons: [],
    warnings: [],
  }]);
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
  await gateway.apply(pricedCatalogue(upstream.url).replace("\nprojects:", extra));
  assert.equal((await outcome({ ...ask, model: "new-model" })).status, 200);
  await gateway.apply(pricedCatalogue(upstream.url));
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
    catalogue: pricedCatalogue("http://127.0.0.1:9/v1"),
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
      if (attempt > 5_000 || !(error instanceof TypeError)) throw error;
    }
  }
}
