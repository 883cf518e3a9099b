/**
 * The program with its database on a PostgreSQL server: it does what it does with a file, and what
 * becomes of calls when either of the two goes away.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody, chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import { runTollgate, startTollgate } from "../support/executable.ts";
import { jsonReply, sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import {
  ask,
  assertBooksAddUp,
  balanceOf,
  NONE,
  pricedCatalogue,
  startStream,
} from "../support/paying_gateway.ts";
import { NEEDS_POSTGRES, type PostgresServer, startPostgres } from "../support/postgres_server.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

const PASSWORD = "a very secret/word";

async function serveOn(server: PostgresServer, database: string, dataDir?: string) {
  return await serveGateway({
    env: { TOLLGATE_DATABASE_URL: server.url(database) },
    ...(dataDir !== undefined && { dataDir, expectKey: false }),
  });
}

/** A project that pays from a balance of 10. */
async function fund(gateway: ServedGateway, upstreamUrl: string): Promise<string> {
  await gateway.apply(pricedCatalogue(upstreamUrl));
  await gateway.credit("paying", "10");
  return await gateway.key("paying");
}

const streamed = () =>
  sseReply([
    chunk({ role: "assistant", content: "Hi" }),
    finishChunk(),
    usageChunk(1000, 500),
    "[DONE]",
  ]);

Deno.test(
  "with its database on a server the first run, calls, films, commands and reports are as ever",
  NEEDS_POSTGRES,
  async () => {
    await using server = await startPostgres({ isSynced: true, password: PASSWORD });
    await server.create("tollgate");
    await using upstream = await startFakeUpstream(streamed);
    const url = server.url("tollgate");
    const gateway = await serveOn(server, "tollgate");
    await using _ = gateway;
    assert.equal((await gateway.chat(gateway.server.key, { ...ask, model: "echo-1" })).status, 200);
    const key = await fund(gateway, upstream.url);
    const settled = await startStream(gateway, key);
    assert.match(await settled.rest(), /\[DONE\]/);
    const shown = await gateway.cli("calls", "show", settled.requestId);
    assert.deepEqual([shown.state, shown.charged], ["settled", "0.00400000"]);
    assert.deepEqual(await balanceOf(gateway), { balance: "9.99600000", held: NONE });
    const system = await gateway.admin("GET", "/system");
    assert.match(system.storage.engine, /^PostgreSQL \d/);
    const files = [...Deno.readDirSync(gateway.server.dataDir)].map(({ name }) => name);
    assert.deepEqual(files.filter((name) => name.includes(".db")), []);
    const doctor = await gateway.cli("doctor", "--offline");
    const database = doctor.filter(({ check }: { check: string }) => check === "database");
    assert.deepEqual(database.map(({ status }: { status: string }) => status), ["ok", "ok", "ok"]);
    assert.match(database[2].detail, /In use by the server with process id \d+/);
    const backup = await runTollgate(
      ["backup", "create", "--data-dir", gateway.server.dataDir],
      { env: { TOLLGATE_DATABASE_URL: url } },
    );
    assert.equal(backup.code, 1);
    assert.match(
      backup.stderr,
      /The database is tollgate on 127\.0\.0\.1:\d+: it is backed up there/,
    );

    const stopped = await gateway.server.stop();
    assert.equal(stopped.code, 0, stopped.stderr);
    // Without a server a command uses the database itself, and so does the next start.
    assert.deepEqual(await balanceOf(gateway), { balance: "9.99600000", held: NONE });
    await assertBooksAddUp(gateway);
    const report = await gateway.cli("usage", "report", "--by", "model");
    assert.deepEqual(
      report.map(({ model, calls }: { model: string; calls: number }) => [model, calls]),
      [["echo-1", 1], ["m", 1]],
    );
    await using again = await serveOn(server, "tollgate", gateway.server.dataDir);
    assert.equal((await startStream(again, key)).requestId === settled.requestId, false);
    const config = await runTollgate(["config", "show"], { env: { TOLLGATE_DATABASE_URL: url } });
    assert.match(config.stdout, /database_url +\(hidden\)/);
    for (const text of [gateway.server.stdout, gateway.server.stderr, config.stdout]) {
      for (const secret of [PASSWORD, encodeURIComponent(PASSWORD)]) {
        assert.equal(text.includes(secret), false, text);
      }
    }
  },
);

Deno.test(
  "a command from another data dir changes what a server goes on with, and after kill -9 the same one goes on at once",
  NEEDS_POSTGRES,
  async () => {
    await using server = await startPostgres();
    await server.create("tollgate");
    let calls = 0;
    await using upstream = await startFakeUpstream(() =>
      ++calls === 1 ? streamed() : sseReply([chunk({ role: "assistant", content: "Hi" }), "stall!"])
    );
    const gateway = await serveOn(server, "tollgate");
    await using _ = gateway;
    const key = await fund(gateway, upstream.url);
    await (await startStream(gateway, key)).rest();
    const lost = await startStream(gateway, key);
    const open = await gateway.cli("calls", "show", lost.requestId);
    assert.equal(open.state, "open");

    const elsewhere = await Deno.makeTempDir();
    const env = { TOLLGATE_DATABASE_URL: server.url("tollgate") };
    const disabled = await runTollgate(
      ["projects", "disable", "paying", "--data-dir", elsewhere],
      { env },
    );
    assert.equal(disabled.code, 0, disabled.stderr);
    await until("the server to know", async () => {
      const response = await gateway.chat(key, { ...ask, model: "echo-1" });
      await response.body?.cancel();
      return response.status !== 200;
    });
    const shown = await runTollgate(["projects", "list", "--data-dir", elsewhere], { env });
    assert.match(shown.stdout, /paying/);
    await runTollgate(["projects", "enable", "paying", "--data-dir", elsewhere], { env });
    await until("the server to know that too", async () => {
      const response = await gateway.chat(key, { ...ask, model: "echo-1" });
      await response.body?.cancel();
      return response.status === 200;
    });
    await Deno.remove(elsewhere, { recursive: true });
    assert.equal((await gateway.chat(key, { ...ask, model: "echo-1" })).status, 200);

    await gateway.server.kill();
    await lost.end();
    for (const start of ["first", "second"]) {
      await using again = await serveOn(server, "tollgate", gateway.server.dataDir);
      const { state, result, charged, loss } = await again.cli("calls", "show", lost.requestId);
      assert.deepEqual(
        { state, result, charged, loss },
        { state: "released", result: "gateway_stopped", charged: NONE, loss: open.held },
        start,
      );
      await assertBooksAddUp(again);
    }
  },
);

Deno.test(
  "while its server is away no call is taken, and what had begun is settled once it is back",
  NEEDS_POSTGRES,
  async () => {
    await using server = await startPostgres({ isSynced: true });
    await server.create("tollgate");
    const { promise: isBack, resolve: goOn } = Promise.withResolvers<void>();
    await using upstream = await startFakeUpstream(async () => {
      await isBack;
      return jsonReply(
        answerBody("Hi", { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 }),
      );
    });
    const gateway = await serveOn(server, "tollgate");
    await using _ = gateway;
    const key = await fund(gateway, upstream.url);
    const begun = gateway.chat(key, ask);
    await upstream.received(0);

    await server.crash();
    const ready = () => fetch(`${gateway.url}/readyz`);
    await until("what is said of it", async () => (await ready()).status === 503);
    // After a second it is not known what others have changed, and after three that it is away.
    await until("why", async () => {
      const { reasons, node } = await (await ready()).json();
      return /database server does not answer/.test(reasons.join()) &&
        node.database_silence_seconds > 1;
    });
    const refused = await gateway.chat(key, ask);
    assert.equal(refused.status, 503);
    assert.equal((await refused.json()).error.code, "storage_away");
    assert.equal(upstream.requests.length, 1);
    goOn();

    await server.start();
    const answer = await begun;
    assert.equal(answer.status, 200, await answer.clone().text());
    await answer.body?.cancel();
    await until("the server", async () => (await ready()).status === 200);
    assert.equal((await gateway.chat(key, ask)).status, 200);
    assert.deepEqual(await balanceOf(gateway), { balance: "9.99200000", held: NONE });
    await assertBooksAddUp(gateway);
  },
);

Deno.test(
  "a server whose session others took for dead ends, and says why",
  NEEDS_POSTGRES,
  async () => {
    await using server = await startPostgres();
    await server.create("tollgate");
    await using gateway = await startTollgate({
      env: { TOLLGATE_DATABASE_URL: server.url("tollgate") },
    });
    await server.ask("tollgate", "UPDATE node_sessions SET state = 'dead' WHERE state = 'live'");
    await gateway.waitForOutput(/storage_lost.*took it for dead/);
    assert.equal((await gateway.process.status).code, 1);
  },
);
