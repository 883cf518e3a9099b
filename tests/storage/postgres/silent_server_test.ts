/**
 * Nobody waits for a server that is known to say nothing.
 *
 * @module
 */

import assert from "node:assert/strict";
import { diagnoseServer } from "../../../src/storage/postgres/diagnose_server.ts";
import { openPostgresStorage } from "../../../src/storage/postgres/postgres_storage.ts";
import { fundProject } from "../../conformance/storage_samples.ts";
import { cutLine } from "../../support/cutting_line.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { until } from "../../support/until.ts";

const server = postgresOfFile();
const AWAY_MS = 200;

Deno.test(
  "whoever reads is told at once that a silent server is away, and reads again when it is back",
  NEEDS_POSTGRES,
  async () => {
    await server.create("silent");
    using line = cutLine(server.port);
    const node = await openPostgresStorage({
      url: server.url("silent").replace(`:${server.port}/`, `:${line.port}/`),
      identity: { node: "one", label: "one" },
      beatMs: 10,
      awayMs: AWAY_MS,
      deadlineMs: 600_000,
    });
    try {
      await node.beginSession();
      await fundProject(node, 10n);
      const read = async () => (await node.accounts.loadProjects()).map(({ id }) => id);
      assert.deepEqual(await read(), ["acme"]);
      // What callers are answered from that several nodes share.
      const { sharedBatches, sharedAnswers, sharedJobs, sharedSignIns } = node;
      const answer = { projectId: "acme", responseId: "resp_1" };
      const shared: readonly (() => Promise<unknown>)[] = [
        () => sharedBatches.fileBytes("acme", 1_000),
        () => sharedBatches.openCount("acme"),
        () => sharedBatches.left(),
        () => sharedAnswers.sessionOf(answer),
        () => sharedAnswers.wishCancelled(answer),
        () => sharedJobs.list(),
        () => sharedSignIns.listEnded(10),
      ];
      for (const ask of shared) await ask();
      let isTold = false;
      line.hold("to_client");
      await until("the server to be silent", () => node.serverState().silentMs >= AWAY_MS);
      const asked = until("an answer", () => isTold || line.said.includes("FROM projects"));
      await assert.rejects(
        Promise.race([
          read().finally(() => isTold = true),
          asked.then(() => isTold || assert.fail("it was asked")),
        ]),
        { code: "storage_away", message: "The gateway's database does not answer at the moment" },
      );
      for (const ask of shared) await assert.rejects(ask(), { code: "storage_away" });
      line.release();
      await until("it to answer", () => node.serverState().silentMs < AWAY_MS);
      assert.deepEqual(await read(), ["acme"]);
    } finally {
      line.release();
      await node.close();
    }
  },
);

Deno.test(
  "whoever waits for those who were asking when the server fell silent is told as soon as it is away",
  NEEDS_POSTGRES,
  async () => {
    await server.create("waiting");
    using line = cutLine(server.port);
    const node = await openPostgresStorage({
      url: server.url("waiting").replace(`:${server.port}/`, `:${line.port}/`),
      identity: { node: "one", label: "one" },
      beatMs: 10,
      awayMs: AWAY_MS,
      deadlineMs: 600_000,
    });
    try {
      await node.beginSession();
      await fundProject(node, 10n);
      const read = async () => (await node.accounts.loadProjects()).map(({ id }) => id);
      line.hold("to_client");
      // As many as may read at one time: they hear when it answers.
      const asking = Array.from({ length: 4 }, read);
      const waiting = [read(), read()];
      for (const one of waiting) await assert.rejects(one, { code: "storage_away" });
      await assert.rejects(read(), { code: "storage_away" });
      line.release();
      assert.deepEqual(await Promise.all(asking), asking.map(() => ["acme"]));
      await until("it to answer", () => node.serverState().silentMs < AWAY_MS);
      assert.deepEqual(await Promise.all([read(), read()]), [["acme"], ["acme"]]);
    } finally {
      line.release();
      await node.close();
    }
  },
);

Deno.test(
  "a node whose session others have ended still reads: its server is not away",
  NEEDS_POSTGRES,
  async () => {
    await server.create("ended");
    const lost = Promise.withResolvers<Error>();
    const node = await openPostgresStorage({
      url: server.url("ended"),
      identity: { node: "one", label: "one" },
      beatMs: 10,
      awayMs: AWAY_MS,
      onLost: lost.resolve,
    });
    try {
      await node.beginSession();
      await fundProject(node, 10n);
      await server.ask("ended", "UPDATE node_sessions SET state = 'dead' WHERE node = 'one'");
      assert.equal((await lost.promise).name, "SessionEnded");
      await until("its last beat to be old", () => node.serverState().silentMs >= AWAY_MS);
      assert.deepEqual((await node.accounts.loadProjects()).map(({ id }) => id), ["acme"]);
    } finally {
      await node.close();
    }
  },
);

Deno.test(
  "whoever asks something short of seals and archives is told at once, and whatever takes long goes on",
  NEEDS_POSTGRES,
  async () => {
    await server.create("seals");
    using line = cutLine(server.port);
    const node = await openPostgresStorage({
      url: server.url("seals").replace(`:${server.port}/`, `:${line.port}/`),
      identity: { node: "one", label: "one" },
      beatMs: 10,
      awayMs: AWAY_MS,
      deadlineMs: 600_000,
      reapMs: 600_000,
    });
    try {
      await node.beginSession();
      const { archives, dropped, ...seals } = node.seals!;
      const taken = { number: 1, sha256: "" };
      const short: readonly (() => Promise<unknown>)[] = [
        () => seals.isSealer(),
        () => archives.list(),
        () => archives.unfinished(),
        () => archives.begin(),
        () => archives.take(taken),
        () => archives.giveUp(1),
        () => archives.forget(1),
        () => archives.outlook(0),
        () => seals.rowCounts(),
        () => dropped.lastAt(),
      ];
      assert.equal(await seals.isSealer(), true);
      assert.equal(await dropped.lastAt(), undefined);
      // What takes long has its connection, too.
      assert.deepEqual(await seals.list(undefined, 1), []);
      line.hold("to_client");
      await until("the server to be silent", () => node.serverState().silentMs >= AWAY_MS);
      for (const ask of short) {
        let isTold = false;
        const names = /min\(session_id\)|run_archives|ledger_seals|price_versions/;
        const asked = until("an answer", () => isTold || names.test(line.said));
        await assert.rejects(
          Promise.race([
            ask().finally(() => isTold = true),
            asked.then(() => isTold || assert.fail(`it was asked: ${ask}`)),
          ]),
          { code: "storage_away" },
        );
      }
      const long = seals.list(undefined, 1);
      await until("it to be asked", () => line.said.includes("ledger_seals"));
      line.release();
      assert.deepEqual(await long, []);
      await until("it to answer", () => node.serverState().silentMs < AWAY_MS);
      assert.deepEqual(await archives.list(), []);
    } finally {
      line.release();
      await node.close();
    }
  },
);

Deno.test(
  "whatever takes long of seals is refused too once others may have ended the session",
  NEEDS_POSTGRES,
  async () => {
    await server.create("ended_long");
    using line = cutLine(server.port);
    const node = await openPostgresStorage({
      url: server.url("ended_long").replace(`:${server.port}/`, `:${line.port}/`),
      identity: { node: "one", label: "one" },
      ...{ beatMs: 10, awayMs: AWAY_MS, reapMs: 2 * AWAY_MS },
      deadlineMs: 600_000,
    });
    try {
      await node.beginSession();
      line.hold("to_client");
      await until("the server to be silent", () => node.serverState().silentMs >= 2 * AWAY_MS);
      await assert.rejects(node.seals!.list(undefined, 1), { code: "storage_away" });
    } finally {
      line.release();
      await node.close();
    }
  },
);

Deno.test(
  "who looks for what is wrong waits for a silent server's first word alone",
  NEEDS_POSTGRES,
  async () => {
    await server.create("looked_at");
    using line = cutLine(server.port);
    const place = {
      url: server.url("looked_at").replace(`:${server.port}/`, `:${line.port}/`),
      deadlineMs: 600_000,
    };
    line.hold("both");
    const { isReadable, remarks } = await diagnoseServer(place, { firstWordMs: 1_000 });
    assert.equal(isReadable, false);
    assert.deepEqual(remarks.map(({ status }) => status), ["problem"]);
    assert.match(
      remarks[0]!.detail,
      /^Cannot use the database looked_at on 127\.0\.0\.1:\d+: it has not answered within 1 second\. Check/,
    );
    line.release();
    const found = await diagnoseServer({ ...place, deadlineMs: 60_000 }, { firstWordMs: 60_000 });
    assert.match(found.remarks[0]!.detail, /^looked_at on .* is empty: the first start makes/);
  },
);

for (const comesBack of [false, true]) {
  Deno.test(
    `the end of a session ${
      comesBack
        ? "waits for a server that comes back in a moment"
        : "is left to others where the server says nothing"
    }`,
    NEEDS_POSTGRES,
    async () => {
      const database = comesBack ? "back_at_the_end" : "silent_at_the_end";
      await server.create(database);
      using line = cutLine(server.port);
      const node = await openPostgresStorage({
        url: server.url(database).replace(`:${server.port}/`, `:${line.port}/`),
        identity: { node: "one", label: "one" },
        farewellMs: comesBack ? 600_000 : 10,
        deadlineMs: 600_000,
      });
      const session = await node.beginSession();
      await fundProject(node, 10n);
      line.hold("to_client");
      const closed = node.close();
      if (comesBack) {
        await until("the end to be begun", () => line.said.includes("SET LOCAL idle_in"));
        line.release();
      }
      await closed;
      const stored = await server.ask(
        database,
        `SELECT state FROM node_sessions WHERE session_id = ${session}`,
      );
      assert.equal(stored.trim(), comesBack ? "closed" : "live");
      line.release();
    },
  );
}
