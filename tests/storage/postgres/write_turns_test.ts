/**
 * What a transaction costs in round trips: a line that brings no answers shows what is said without them.
 * And which are tried again.
 *
 * @module
 */

import assert from "node:assert/strict";
import { openPostgresStorage } from "../../../src/storage/postgres/postgres_storage.ts";
import { WriteTurns } from "../../../src/storage/postgres/write_turns.ts";
import {
  commitOne,
  fundProject,
  sampleClosedCall,
  words,
} from "../../conformance/storage_samples.ts";
import { cutLine, type CuttingLine } from "../../support/cutting_line.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { until } from "../../support/until.ts";

const server = postgresOfFile();
let databases = 0;

/** An empty database of ours, reached over a line. */
async function databaseOver(line: CuttingLine): Promise<string> {
  const name = `turns_${++databases}`;
  await server.create(name);
  return server.url(name).replace(`:${server.port}/`, `:${line.port}/`);
}

Deno.test(
  "what a batch goes on from is asked for before anybody has answered that it may begin",
  NEEDS_POSTGRES,
  async () => {
    using line = cutLine(server.port);
    const storage = await openPostgresStorage({ url: await databaseOver(line) });
    try {
      await storage.beginSession();
      await fundProject(storage, 1_000n);
      line.hold("to_client");
      const closing = commitOne(storage, { kind: "close", call: sampleClosedCall() });
      await until("both tables to be asked", () => /FROM projects[^]*FROM calls/.test(line.said));
      assert.match(line.said, /^[^]*BEGIN[^]*UPDATE node_sessions[^]*FROM projects/);
      assert.doesNotMatch(line.said, /INSERT|COMMIT/, "nothing is written before it may begin");
      line.release();
      assert.deepEqual(words([await closing]), ["ok"]);
    } finally {
      line.release();
      await storage.close();
    }
  },
);

Deno.test(
  "the last statement and the end of a transaction are one round trip",
  NEEDS_POSTGRES,
  async () => {
    using line = cutLine(server.port);
    const url = await databaseOver(line);
    await (await openPostgresStorage({ url })).close();
    const turns = new WriteTurns({ url });
    try {
      await turns.inTurn(() => turns.beginSession());
      const held = Promise.withResolvers<void>();
      const written = turns.transaction(async () => {
        await turns.ask.get("SELECT 1 AS one");
        line.hold("to_client");
        held.resolve();
        return { value: "written", ending: { sql: "SELECT ?::bigint AS two", values: [2] } };
      });
      await held.promise;
      await until("the end to be asked for", () => line.said.includes("COMMIT"));
      assert.match(line.said, /AS two[^]*COMMIT/);
      line.release();
      assert.equal(await written, "written");
    } finally {
      line.release();
      await turns.close();
    }
  },
);

Deno.test(
  "a last statement that fails leaves nothing written, and says why",
  NEEDS_POSTGRES,
  async () => {
    using line = cutLine(server.port);
    const url = await databaseOver(line);
    const storage = await openPostgresStorage({ url });
    const turns = new WriteTurns({ url, identity: { node: "b", label: "b" } });
    try {
      await turns.inTurn(() => turns.beginSession());
      const write = (divisor: number) =>
        turns.transaction(async () => {
          await turns.ask.run("UPDATE node_sessions SET label = ?", `by ${divisor}`);
          return { value: divisor, ending: { sql: "SELECT 1 / ?::bigint", values: [divisor] } };
        });
      await assert.rejects(write(0), /division by zero/);
      assert.equal(await write(1), 1, "the next one goes on");
      const labels = await turns.transaction(async () => ({
        value: await turns.ask.all("SELECT DISTINCT label FROM node_sessions"),
      }));
      assert.deepEqual(labels, [{ label: "by 1" }]);
    } finally {
      await turns.close();
      await storage.close();
    }
  },
);

Deno.test(
  "a batch that the server ends as something is locked is written once that is free",
  NEEDS_POSTGRES,
  async () => {
    const name = `turns_${++databases}`;
    await server.create(name);
    const storage = await openPostgresStorage({ url: server.url(name) });
    const backends = "FROM pg_stat_activity WHERE datname = current_database() AND ";
    const untilOne = (what: string) =>
      until(
        `a backend with ${what}`,
        async () => await server.ask(name, `SELECT count(*) ${backends}${what}`) === "1",
      );
    try {
      await fundProject(storage, 1_000n);
      const locks = "BEGIN; SELECT 1 FROM projects FOR UPDATE; SELECT pg_sleep(600)";
      const locker = server.ask(name, locks).catch(() => "it was ended");
      await untilOne("wait_event = 'PgSleep'");
      const written = commitOne(storage, { kind: "close", call: sampleClosedCall() });
      await untilOne("wait_event_type = 'Lock'");
      await server.ask(name, `SELECT pg_cancel_backend(pid) ${backends}wait_event_type = 'Lock'`);
      await server.ask(name, `SELECT pg_terminate_backend(pid) ${backends}wait_event = 'PgSleep'`);
      assert.equal(await locker, "it was ended");
      assert.deepEqual(words([await written]), ["ok"]);
      assert.equal((await storage.calls.usageReport({ groupBy: [] })).lines[0]!.calls, 1);
    } finally {
      await storage.close();
    }
  },
);
