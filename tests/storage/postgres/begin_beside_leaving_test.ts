/**
 * Sessions that wait to begin while the database's content goes elsewhere: none of them begins.
 *
 * @module
 */

import assert from "node:assert/strict";
import { openMoveSource } from "../../../src/storage/postgres/move_source.ts";
import { Connection } from "../../../src/storage/postgres/connection.ts";
import {
  openPostgresStorage,
  type PostgresOptions,
} from "../../../src/storage/postgres/postgres_storage.ts";
import { endSessions, lockSessions } from "../../../src/storage/postgres/session_register.ts";
import {
  commitOne,
  fundProject,
  sampleClosedCall,
  sampleOpenCall,
  words,
} from "../../conformance/storage_samples.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { until } from "../../support/until.ts";

const server = postgresOfFile();
let databases = 0;

/** A database that was used, and a connection that can keep others waiting. */
async function withDatabase(
  run: (database: string, url: string, hand: Connection) => Promise<void>,
): Promise<void> {
  const database = `leaving_${++databases}`;
  await server.create(database);
  const url = server.url(database);
  const storage = await openPostgresStorage({ url });
  await storage.beginSession();
  await fundProject(storage, 1_000n);
  await storage.close();
  const hand = await Connection.open({ url });
  try {
    await run(database, url, hand);
  } finally {
    await hand.close();
  }
}

function openNode(url: string, node: string, options: Partial<PostgresOptions> = {}) {
  return openPostgresStorage({
    url,
    identity: { node, label: node },
    ...{ beatMs: 20, reapMs: 60_000 },
    ...options,
  });
}

const leavingSource = (url: string, ...leftByRuns: readonly string[]) =>
  openMoveSource({
    ...{ url, name: "there", identity: { node: "move", label: "a move" }, leftByRuns },
  });

/** Waits until so many stand before the lock of sessions. */
async function waiting(database: string, count: number): Promise<void> {
  const sql = `SELECT count(*) FROM pg_stat_activity
    WHERE datname = '${database}' AND wait_event_type = 'Lock'`;
  await until(
    `${count} to wait`,
    async () => await server.ask(database, sql) === String(count),
  );
}

const SESSIONS = "SELECT count(*) FROM node_sessions";

Deno.test(
  "a node that waits to begin while the last word of a move is written does not begin",
  NEEDS_POSTGRES,
  () =>
    withDatabase(async (database, url, hand) => {
      const source = await leavingSource(url);
      // It has looked, and found nothing that speaks against it.
      const node = await openNode(url, "late");
      try {
        const sessions = await server.ask(database, SESSIONS);
        await lockSessions(hand);
        const leaving = source.leave({ other: "/data", at: 5, run: "first" });
        await waiting(database, 1);
        const beginning = assert.rejects(
          node.beginSession(),
          /Cannot use the database: all of it was moved to \/data at 1970-01-01T00:00:00.005Z/,
        );
        await waiting(database, 2);
        await hand.rollBack();
        await leaving;
        await beginning;
        assert.equal(await server.ask(database, SESSIONS), sessions);
      } finally {
        await node.close();
        await source.close();
      }
      // Only where that very move has filled a database, it goes on.
      await assert.rejects(leavingSource(url), /was moved to \/data/);
      await assert.rejects(leavingSource(url, "earlier"), /was moved to \/data/);
      const again = await leavingSource(url, "earlier", "first");
      assert.equal(again.leftByRun, "first");
      await again.leave({ other: "/data", at: 6, run: "second" });
      await again.close();
    }),
);

Deno.test(
  "what an ended session has left is not booked where the content has gone",
  NEEDS_POSTGRES,
  () =>
    withDatabase(async (database, url, hand) => {
      const node = await openNode(url, "silent");
      try {
        const session = await node.beginSession();
        await hand.runEach("BEGIN");
        await endSessions(hand, [session]);
        await hand.commit();
        const source = await leavingSource(url);
        const rows = await server.ask(database, "SELECT count(*) FROM ledger");
        await lockSessions(hand);
        const leaving = source.leave({ other: "/data", at: 5, run: "first" });
        await waiting(database, 1);
        const call = { callId: 7, heldE8: 100n };
        const late = node.commitBatch([
          { kind: "hold", call: sampleOpenCall(call) },
          { kind: "close", call: sampleClosedCall({ ...call, saleE8: 60n, chargedE8: 60n }) },
        ]);
        await waiting(database, 2);
        await hand.rollBack();
        await leaving;
        await source.close();
        assert.deepEqual(words(await late), ["ok", "unavailable"]);
        // Whoever tries again and again leaves no connection behind.
        const connections = async () =>
          Number(
            await server.ask(
              database,
              `SELECT count(*) FROM pg_stat_activity WHERE datname = '${database}'`,
            ),
          );
        const before = await connections();
        for (let again = 0; again < 5; again++) {
          const close = sampleClosedCall({ ...call, saleE8: 60n, chargedE8: 60n });
          const result = await commitOne(node, { kind: "close", call: close });
          assert.deepEqual(words([result]), ["unavailable"]);
        }
        await until("all to be closed", async () => await connections() <= before);
        assert.equal(await server.ask(database, "SELECT count(*) FROM ledger"), rows);
      } finally {
        await node.close();
      }
    }),
);
