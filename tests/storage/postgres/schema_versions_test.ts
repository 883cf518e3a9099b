/**
 * Programs of two versions over one database: what a newer one adds is no concern of the older, and what
 * it takes away waits for the older one's end.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Connection } from "../../../src/storage/postgres/connection.ts";
import { migrate, type Schema } from "../../../src/storage/postgres/migrations.ts";
import { openMoveTarget } from "../../../src/storage/postgres/move_target.ts";
import {
  openPostgresStorage,
  type PostgresStorage,
} from "../../../src/storage/postgres/postgres_storage.ts";
import {
  LEAST_VERSION,
  SCHEMA_VERSION,
  VERSIONS,
} from "../../../src/storage/postgres/schema/versions.ts";
import { commitOne, sampleProject } from "../../conformance/storage_samples.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";

const NEXT = SCHEMA_VERSION + 1;
/** What a later version may do: it only adds. */
const ADDING: Schema = {
  versions: [...VERSIONS, [
    "CREATE TABLE later_things (id bigint PRIMARY KEY)",
    "ALTER TABLE calls ADD COLUMN later bigint NOT NULL DEFAULT 0",
  ]],
  least: LEAST_VERSION,
};
/** And one behind it takes away what this program uses. */
const CHANGING: Schema = {
  versions: [...ADDING.versions, ["ALTER TABLE projects RENAME COLUMN models TO offers"]],
  least: NEXT + 1,
};

const server = postgresOfFile();
let databases = 0;

async function makeProject(storage: PostgresStorage, id: string): Promise<void> {
  const made = await commitOne(storage, { kind: "create_project", project: sampleProject({ id }) });
  assert.ok(made.ok);
}

async function newDatabase(): Promise<string> {
  const database = `versions_${++databases}`;
  await server.create(database);
  return database;
}

/** This program's node, whose session has begun. */
async function openNode(database: string): Promise<PostgresStorage> {
  const storage = await openPostgresStorage({
    url: server.url(database),
    identity: { node: "one", label: "node one", program: "0.1.0" },
    beatMs: 20,
  });
  try {
    await storage.beginSession();
    return storage;
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function bringUpTo(schema: Schema, database: string, reapMs?: number): Promise<void> {
  const connection = await Connection.open({ url: server.url(database) });
  try {
    await migrate(connection, { schema, reapMs });
  } finally {
    await connection.close();
  }
}

function factsOf(database: string): Promise<string> {
  return server.ask(
    database,
    "SELECT value FROM cluster_meta WHERE name LIKE '%schema_version' ORDER BY name",
  );
}

Deno.test(
  "a program works on by tables to which a newer one has added",
  NEEDS_POSTGRES,
  async () => {
    const database = await newDatabase();
    const running = await openNode(database);
    try {
      assert.equal(await factsOf(database), `${LEAST_VERSION}\n${SCHEMA_VERSION}`);
      await bringUpTo(ADDING, database);
      assert.equal(await factsOf(database), `${LEAST_VERSION}\n${NEXT}`);
      await makeProject(running, "acme");
    } finally {
      await running.close();
    }
    // It starts again, too, and takes nothing of it back.
    const again = await openNode(database);
    try {
      await makeProject(again, "shop");
      assert.deepEqual((await again.accounts.loadProjects()).map(({ id }) => id), ["acme", "shop"]);
    } finally {
      await again.close();
    }
    assert.equal(await factsOf(database), `${LEAST_VERSION}\n${NEXT}`);
    assert.equal(await server.ask(database, "SELECT count(*) FROM later_things"), "0");
    // What it does not know of it would not copy.
    await assert.rejects(
      openMoveTarget({ url: server.url(database), name: "there", now: Date.now }),
      { message: new RegExp(`has schema version ${NEXT}, and this program knows all of .* only`) },
    );
  },
);

Deno.test(
  "what older programs use is taken away once none of them is at work",
  NEEDS_POSTGRES,
  async () => {
    const database = await newDatabase();
    const running = await openNode(database);
    try {
      await assert.rejects(bringUpTo(CHANGING, database), {
        name: "StorageOpenError",
        message: /^The database is in use by node one, whose version cannot work with it once this/,
      });
      assert.equal(await factsOf(database), `${LEAST_VERSION}\n${SCHEMA_VERSION}`);
      await makeProject(running, "acme");
    } finally {
      await running.close();
    }
    await bringUpTo(CHANGING, database);
    assert.equal(await factsOf(database), `${NEXT + 1}\n${NEXT + 1}`);
    await assert.rejects(openNode(database), {
      name: "StorageOpenError",
      message: /^The database has schema version \d+, and this program knows \d+: a newer version/,
    });
  },
);

Deno.test("an older program that is silent has ended for a newer one", NEEDS_POSTGRES, async () => {
  const database = await newDatabase();
  await (await openNode(database)).close();
  // As one that was killed has left it.
  await server.ask(
    database,
    `INSERT INTO node_sessions (session_id, node, label, state, batch_no, slot)
     SELECT max(session_id) + 1, 'two', 'node two', 'live', 0, 9 FROM node_sessions;
     INSERT INTO node_beats (session_id, beat_no) SELECT max(session_id), 7 FROM node_sessions`,
  );
  await bringUpTo(CHANGING, database, 4_000);
  assert.equal(await factsOf(database), `${NEXT + 1}\n${NEXT + 1}`);
  const states = "SELECT state FROM node_sessions WHERE node = 'two'";
  assert.equal(await server.ask(database, states), "dead");
});
