/**
 * Two executables and one database: the second waits, takes the first one's place when it has ended or
 * is silent, and nothing that was answered is lost or charged twice, nor anything written by the one
 * that was taken for dead.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody } from "../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { ask, assertBooksAddUp, NONE, pricedCatalogue } from "../support/paying_gateway.ts";
import { NEEDS_POSTGRES, type PostgresServer, startPostgres } from "../support/postgres_server.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

const CALLERS = 8;
/** 10 prompt and 5 completion tokens at 2 and 4 a million. */
const PRICE_E8 = 4_000n;

let server: PostgresServer;

Deno.test.beforeAll(async () => {
  if (!NEEDS_POSTGRES.ignore) server = await startPostgres();
});

Deno.test.afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});

/** Callers that ask again and again until the server is gone or they are told to end. */
function load(gateway: ServedGateway, key: string) {
  let answered = 0;
  let isOver = false;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      try {
        const response = await gateway.chat(key, ask, { signal: AbortSignal.timeout(60_000) });
        await response.body?.cancel();
        if (response.status === 200) answered++;
      } catch {
        // The server has gone in the middle of it: nobody knows how far it came.
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  });
  return {
    get answered() {
      return answered;
    },
    async end(): Promise<void> {
      isOver = true;
      await Promise.all(callers);
    },
  };
}

/** A second server on the same database, which waits until the first has ended. */
async function startSecond(database: string, logged: RegExp) {
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-second-" });
  const env = { TOLLGATE_DATABASE_URL: server.url(database) };
  const starting = serveGateway({ dataDir, env, expectKey: false, readyWithinMs: 120_000 });
  await until("it to wait", async () => logged.test(await waitingLabels(database)));
  return {
    starting,
    async [Symbol.asyncDispose]() {
      await (await starting)[Symbol.asyncDispose]();
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}

/** Who asks for the row that whoever begins a session waits for. */
function waitingLabels(database: string): Promise<string> {
  return server.ask(
    database,
    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tollgate' AND query LIKE '%node_sessions LEFT JOIN%'",
  );
}

/** Calls that are charged, and what they come to. */
async function charged(gateway: ServedGateway): Promise<number> {
  const { balance, held } = await gateway.admin("GET", "/projects/paying");
  assert.equal(held, NONE);
  const spentE8 = 1_000_000_000n - BigInt(balance.replace(".", ""));
  assert.equal(spentE8 % PRICE_E8, 0n);
  return Number(spentE8 / PRICE_E8);
}

async function firstOn(database: string, upstreamUrl: string) {
  await server.create(database);
  const gateway = await serveGateway({ env: { TOLLGATE_DATABASE_URL: server.url(database) } });
  await gateway.apply(pricedCatalogue(upstreamUrl));
  await gateway.credit("paying", "10");
  return { gateway, key: await gateway.key("paying") };
}

Deno.test(
  "after kill -9 under load the waiting server takes over: what was answered is charged once",
  NEEDS_POSTGRES,
  async () => {
    await using upstream = await startFakeUpstream(() => jsonReply(answerBody("Hi")));
    const { gateway, key } = await firstOn("killed", upstream.url);
    await using _ = gateway;
    await using second = await startSecond("killed", /[1-9]/);
    const calls = load(gateway, key);
    await until("some calls", () => calls.answered > 100);
    await gateway.server.kill();
    await calls.end();
    const next = await second.starting;
    const count = await charged(next);
    // Nothing answered is missing; of those whose answer was on its way some were written.
    assert.ok(count >= calls.answered && count <= calls.answered + CALLERS, `${count}`);
    assert.ok(count <= upstream.requests.length);
    assert.equal((await next.chat(key, ask)).status, 200);
    assert.equal(await charged(next), count + 1);
    await assertBooksAddUp(next);
  },
);

Deno.test(
  "a server that stood still for too long writes nothing when it wakes, and ends",
  NEEDS_POSTGRES,
  async () => {
    await using upstream = await startFakeUpstream(() => jsonReply(answerBody("Hi")));
    const { gateway, key } = await firstOn("stopped", upstream.url);
    await using _ = gateway;
    await using second = await startSecond("stopped", /[1-9]/);
    const calls = load(gateway, key);
    await until("some calls", () => calls.answered > 100);
    gateway.server.process.kill("SIGSTOP");
    const before = calls.answered;
    const next = await second.starting;
    const count = await charged(next);
    assert.ok(count >= before && count <= before + CALLERS, `${count} of ${before}`);
    assert.equal((await next.chat(key, ask)).status, 200);
    gateway.server.process.kill("SIGCONT");
    await gateway.server.waitForOutput(/storage_lost/);
    assert.equal((await gateway.server.process.status).code, 1);
    await calls.end();
    // Answers that were written before it stood still may have been read since: no others.
    assert.ok(calls.answered <= count, `${calls.answered} of ${count}`);
    assert.equal(await charged(next), count + 1);
    await assertBooksAddUp(next);
  },
);

Deno.test("an orderly end lets the waiting server go on at once", NEEDS_POSTGRES, async () => {
  await using upstream = await startFakeUpstream(() => jsonReply(answerBody("Hi")));
  const { gateway, key } = await firstOn("ended", upstream.url);
  await using _ = gateway;
  await using second = await startSecond("ended", /[1-9]/);
  assert.equal((await gateway.chat(key, ask)).status, 200);
  const begun = performance.now();
  assert.equal((await gateway.server.stop()).code, 0);
  const next = await second.starting;
  // Nobody waited for silence.
  assert.ok(performance.now() - begun < 20_000);
  assert.equal(await charged(next), 1);
});
