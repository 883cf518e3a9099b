/**
 * A newer version's change of tables that somebody reads for long: it waits, and stops nobody meanwhile.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Connection } from "../../../src/storage/postgres/connection.ts";
import { migrate, type MigrateOptions } from "../../../src/storage/postgres/migrations.ts";
import {
  openPostgresStorage,
  type PostgresStorage,
} from "../../../src/storage/postgres/postgres_storage.ts";
import { LEAST_VERSION, VERSIONS } from "../../../src/storage/postgres/schema/versions.ts";
import { commitOne, fundProject, sampleOpenCall } from "../../conformance/storage_samples.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { until } from "../../support/until.ts";

const schema = {
  versions: [...VERSIONS, ["ALTER TABLE calls ADD COLUMN later bigint NOT NULL DEFAULT 0"]],
  least: LEAST_VERSION,
};
/** Who waits in the server for what others have locked. */
const WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted";

const server = postgresOfFile();
let databases = 0;

/** A node at work, and somebody who reads its calls and does not come to an end. */
async function scene() {
  const database = `in_use_${++databases}`;
  await server.create(database);
  const url = server.url(database);
  const node = await openPostgresStorage({
    url,
    identity: { node: "one", label: "node one" },
    beatMs: 20,
  });
  await node.beginSession();
  await fundProject(node, 1_000_000n);
  const lease = { kind: "lease", projectId: "acme", needE8: 1_000n, wishE8: 1_000n } as const;
  assert.ok((await commitOne(node, lease)).ok);
  const reader = await Connection.open({ url });
  await reader.runEach("SET application_name = 'pg_dump'", "BEGIN", "SELECT count(*) FROM calls");
  const [own] = await reader.askEach("SELECT pg_backend_pid() AS pid");
  const pid = String(own!.rows[0]!.pid);
  const newcomer = await Connection.open({ url });
  return {
    node,
    reader,
    pid,
    bringUp: (options: MigrateOptions) => migrate(newcomer, { schema, node: "two", ...options }),
    ask: (sql: string) => server.ask(database, sql),
    async [Symbol.asyncDispose]() {
      // Whatever has failed: nothing of it goes on in the server.
      await server.ask(
        database,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE pid = ${pid}`,
      );
      await Promise.all([reader.close(), newcomer.close()]);
      await node.close();
    },
  };
}

let callId = 0;
async function hold(node: PostgresStorage): Promise<boolean> {
  callId++;
  const call = sampleOpenCall({ callId, requestId: `req_${callId}`, heldE8: 1n });
  return (await commitOne(node, { kind: "hold", call })).ok;
}

Deno.test(
  "tables that somebody reads for long are changed once that has ended, and nodes write until then",
  NEEDS_POSTGRES,
  async () => {
    await using at = await scene();
    const rests: (() => void)[] = [];
    const told: string[] = [];
    let isDone = false;
    const done = at.bringUp({
      rest: () => new Promise((resolve) => rests.push(resolve)),
      onWait: (why) => told.push(why),
    }).finally(() => isDone = true);
    for (let tries = 1; tries <= 5; tries++) {
      await until("it to wait for the reader", async () => await at.ask(WAITING) !== "0");
      // Begun while it waits, and written before the reader ends, as everything that is begun between.
      assert.equal(await hold(at.node), true);
      await until("the end of a try", () => rests.length === tries, { withinMs: 10_000 });
      assert.equal(await at.ask(WAITING), "0");
      assert.equal(await hold(at.node), true);
      assert.equal(told.length, tries < 5 ? 0 : 1);
      if (tries < 5) rests.at(-1)!();
    }
    assert.match(
      told[0]!,
      new RegExp(
        `^The database's tables are in use, and are brought up to version ${schema.versions.length} ` +
          `once that has ended: pg_dump \\(process ${at.pid} of the server, for \\d+ seconds?\\)\\. Nodes `,
      ),
    );
    assert.equal(isDone, false);
    await at.reader.runEach("COMMIT");
    rests.at(-1)!();
    await done;
    assert.equal(await at.ask("SELECT count(*) FROM calls WHERE later = 0"), String(callId));
    assert.equal(await hold(at.node), true);
  },
);

Deno.test(
  "who waits for tables too long says who reads them, and leaves nothing behind in the server",
  NEEDS_POSTGRES,
  async () => {
    await using at = await scene();
    await assert.rejects(at.bringUp({ patienceMs: 0 }), {
      name: "StorageOpenError",
      message: new RegExp(
        `^The database's tables could not be brought up to version ${schema.versions.length} in .* as ` +
          `others use them without an end: pg_dump \\(process ${at.pid} of the server, for [^;]*\\)\\. Start `,
      ),
    });
    assert.equal(await at.ask(WAITING), "0");
    assert.equal(await hold(at.node), true);
  },
);
