/**
 * Two executables and one database: the second goes on when the first has ended or is silent, and nothing
 * that was answered is lost or charged twice; the one that was taken for dead books what nobody has.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody } from "../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { callAlways, CALLERS, chargedCalls } from "../support/calls_without_end.ts";
import { ask, assertBooksAddUp, NONE, pricedCatalogue } from "../support/paying_gateway.ts";
import {
  NEEDS_PGBOUNCER,
  NEEDS_POSTGRES,
  postgresOfFile,
  startPgbouncer,
} from "../support/postgres_server.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

const server = postgresOfFile();

/** A second server on the same database. */
async function startSecond(database: string, url = server.url(database)) {
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-second-" });
  const env = { TOLLGATE_DATABASE_URL: url };
  const starting = serveGateway({ dataDir, env, expectKey: false, readyWithinMs: 120_000 });
  await starting;
  return {
    starting,
    async [Symbol.asyncDispose]() {
      await (await starting)[Symbol.asyncDispose]();
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}

async function firstOn(database: string, upstreamUrl: string, url = server.url(database)) {
  await server.create(database);
  const gateway = await serveGateway({ env: { TOLLGATE_DATABASE_URL: url } });
  await gateway.apply(pricedCatalogue(upstreamUrl));
  await gateway.credit("paying", "10");
  return { gateway, key: await gateway.key("paying") };
}

Deno.test(
  "after kill -9 under load the other server goes on: what was answered is charged once",
  NEEDS_POSTGRES,
  async () => {
    await using upstream = await startFakeUpstream(() => jsonReply(answerBody("Hi")));
    const { gateway, key } = await firstOn("killed", upstream.url);
    await using _ = gateway;
    await using second = await startSecond("killed");
    const calls = callAlways(gateway, key);
    await until("some calls", () => calls.answered > 100);
    await gateway.server.kill();
    await calls.end();
    const next = await second.starting;
    await until("what it held to be back", () => holdsNothing(next));
    const count = await chargedCalls(next);
    // Nothing answered is missing; of those whose answer was on its way some were written.
    assert.ok(count >= calls.answered && count <= calls.answered + CALLERS, `${count}`);
    assert.ok(count <= upstream.requests.length);
    assert.equal((await next.chat(key, ask)).status, 200);
    assert.equal(await chargedCalls(next), count + 1);
    await assertBooksAddUp(next);
  },
);

Deno.test(
  "a server that stood still for too long books what it had made when it wakes, and ends",
  NEEDS_POSTGRES,
  () => standStill("stopped"),
);

Deno.test(
  "likewise where both reach the database through pgbouncer in transaction mode",
  NEEDS_PGBOUNCER,
  async () => {
    await using pooler = await startPgbouncer(server);
    await standStill("pooled", pooler.url("pooled"));
  },
);

async function standStill(database: string, url?: string): Promise<void> {
  await using upstream = await startFakeUpstream(() => jsonReply(answerBody("Hi")));
  const { gateway, key } = await firstOn(database, upstream.url, url);
  await using _ = gateway;
  await using second = await startSecond(database, url);
  const calls = callAlways(gateway, key);
  await until("some calls", () => calls.answered > 100);
  gateway.server.process.kill("SIGSTOP");
  const before = calls.answered;
  const next = await second.starting;
  await next.server.waitForOutput(/node_ended/);
  await until("what it held to be back", () => holdsNothing(next));
  const count = await chargedCalls(next);
  assert.ok(count >= before && count <= before + CALLERS, `${count} of ${before}`);
  assert.equal((await next.chat(key, ask)).status, 200);
  gateway.server.process.kill("SIGCONT");
  await gateway.server.waitForOutput(/storage_lost/);
  const [, booked] = await gateway.server.waitForOutput(/ledger_rebooked".*?"calls":(\d+)/);
  assert.equal((await gateway.server.process.status).code, 1);
  await calls.end();
  // What it had made, and nobody had closed, is charged after all: once, and only then answered.
  assert.ok(calls.answered <= count + Number(booked), `${calls.answered} of ${count}`);
  assert.equal(await chargedCalls(next), count + 1 + Number(booked));
  await assertBooksAddUp(next);
}

Deno.test("an orderly end gives back at once what a node has leased", NEEDS_POSTGRES, async () => {
  await using upstream = await startFakeUpstream(() => jsonReply(answerBody("Hi")));
  const { gateway, key } = await firstOn("ended", upstream.url);
  await using _ = gateway;
  await using second = await startSecond("ended");
  assert.equal((await gateway.chat(key, ask)).status, 200);
  assert.notEqual(await server.ask("ended", "SELECT count(*) FROM leases"), "0");
  assert.equal((await gateway.server.stop()).code, 0);
  assert.equal(await server.ask("ended", "SELECT count(*) FROM leases"), "0");
  const next = await second.starting;
  assert.equal(await chargedCalls(next), 1);
  assert.equal((await next.chat(key, ask)).status, 200);
});

async function holdsNothing(gateway: ServedGateway): Promise<boolean> {
  return (await gateway.admin("GET", "/projects/paying")).held === NONE;
}
