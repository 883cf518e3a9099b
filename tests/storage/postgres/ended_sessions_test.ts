/**
 * What a node leaves that ends, whoever was told of it and whatever fails then: another one goes on with
 * it, and a command does not.
 *
 * @module
 */

import assert from "node:assert/strict";
import { LeftWork } from "../../../src/app/go_on_with_left.ts";
import type { OpenCall } from "../../../src/domain/call.ts";
import type { CommitQueue } from "../../../src/storage/ports/commit_queue.ts";
import type { Left } from "../../../src/storage/ports/nodes.ts";
import {
  openPostgresStorage,
  type PostgresStorage,
} from "../../../src/storage/postgres/postgres_storage.ts";
import { OPEN_FILMS } from "../../../src/storage/postgres/schema/open_films.ts";
import { VERSIONS } from "../../../src/storage/postgres/schema/versions.ts";
import {
  commitOne,
  fundProject,
  sampleClosedCall,
  sampleOpenCall,
} from "../../conformance/storage_samples.ts";
import { createEntry, sampleTask } from "../../conformance/storage_video_samples.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { until } from "../../support/until.ts";

const server = postgresOfFile();
let databases = 0;

/** A node of a database, which nobody takes for silent. */
interface Node extends AsyncDisposable {
  readonly storage: PostgresStorage;
  readonly session: number;
  /** What it has heard of that others have left. */
  readonly left: Left[];
}

async function begin(database: string, name: string, isCommand = false): Promise<Node> {
  const storage = await openPostgresStorage({
    url: server.url(database),
    identity: { node: name, label: name, isCommand },
    beatMs: 20,
    reapMs: 600_000,
  });
  const left: Left[] = [];
  storage.nodes.follow({ onLeft: (one) => left.push(one) });
  try {
    const session = await storage.beginSession();
    return { storage, session, left, [Symbol.asyncDispose]: () => storage.close() };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function newDatabase(): Promise<string> {
  const database = `ended_${++databases}`;
  await server.create(database);
  return database;
}

/** A call of its own, and a film that is queued. */
async function leave({ storage }: Node, callId: number): Promise<void> {
  await commitOne(storage, { kind: "lease", projectId: "acme", needE8: 300n, wishE8: 300n });
  const call = sampleOpenCall({ callId, heldE8: 100n });
  assert.equal((await commitOne(storage, { kind: "hold", call })).ok, true);
  const film = createEntry(sampleTask({ callId: callId + 1 }));
  assert.equal((await commitOne(storage, film)).ok, true);
}

async function filmsOf({ storage }: Node): Promise<readonly number[]> {
  return (await storage.videos.open(0, 10)).map(({ callId }) => callId);
}

/** Goes on with what a node is told of, by storage that fails at first. */
function workOf(storage: PostgresStorage, troubles: string[]): LeftWork {
  let isAway = true;
  return new LeftWork({
    storage: {
      calls: {
        abandonedCalls(session, limit) {
          if (isAway) {
            isAway = false;
            throw new Error("the database does not answer");
          }
          return storage.calls.abandonedCalls(session, limit);
        },
      },
      responses: storage.responses,
    },
    ledger: {
      async reap(calls: readonly OpenCall[]) {
        for (const { callId, heldE8 } of calls) {
          const released = { chargedE8: 0n, saleE8: 0n, costE8: 0n, lossE8: 0n };
          const call = sampleClosedCall({ callId, heldE8, state: "released", ...released });
          assert.equal((await commitOne(storage, { kind: "close", call })).ok, true);
        }
        return calls.length;
      },
    },
    commits: undefined as unknown as CommitQueue,
    book: { adopt: () => Promise.resolve() },
    onTrouble: (message) => troubles.push(message),
  });
}

Deno.test(
  "what an ended session has left is told of until it is done, though nobody has heard of its end",
  NEEDS_POSTGRES,
  async () => {
    const database = await newDatabase();
    await using first = await begin(database, "first");
    await using second = await begin(database, "second");
    await fundProject(first.storage, 1_000n);
    await leave(second, 7);
    const troubles: string[] = [];
    const work = workOf(first.storage, troubles);
    first.storage.nodes.follow({
      onLeft(left) {
        first.left.push(left);
        void work.goOn(left);
      },
    });
    // As by a look whose answer was lost.
    await server.ask(
      database,
      `UPDATE node_sessions SET state = 'dead', heir = ${first.session}
       WHERE session_id = ${second.session}`,
    );
    await until("its call to be closed", async () => {
      return (await first.storage.calls.find(7))?.state === "released";
    });
    assert.equal(troubles.length, 1);
    assert.deepEqual(first.left[0], { sessions: [second.session], hasFilms: true });
    assert.deepEqual(await filmsOf(first), [8]);
    assert.deepEqual(await filmsOf(second), []);
  },
);

Deno.test(
  "what a session goes on with that ends itself is another one's",
  NEEDS_POSTGRES,
  async () => {
    const database = await newDatabase();
    await using first = await begin(database, "first");
    await using second = await begin(database, "second");
    await using third = await begin(database, "third");
    await fundProject(first.storage, 1_000n);
    await leave(third, 7);
    await server.ask(
      database,
      `UPDATE node_sessions SET state = 'dead', heir = ${second.session}
       WHERE session_id = ${third.session}`,
    );
    await until(
      "the second to hear",
      () => second.left.some(({ sessions }) => sessions.length > 0),
    );
    // The one that lives goes on with it alone.
    assert.deepEqual(await first.storage.sessions.withOpen(), [0]);
    assert.deepEqual(await second.storage.sessions.withOpen(), [0, third.session]);
    await server.ask(
      database,
      `UPDATE node_sessions SET state = 'dead' WHERE session_id = ${second.session}`,
    );
    await until("the first to hear", () => first.left.some(({ sessions }) => sessions.length > 0));
    assert.deepEqual(first.left.at(-1)!.sessions, [third.session]);
    await until("the film", async () => (await filmsOf(first)).includes(8));
  },
);

Deno.test(
  "films of a node that ends in order are another node's, and never a command's",
  NEEDS_POSTGRES,
  async () => {
    const database = await newDatabase();
    const first = await begin(database, "first");
    await fundProject(first.storage, 1_000n);
    await leave(first, 7);
    await first.storage.close();
    await using command = await begin(database, "command", true);
    assert.deepEqual(await filmsOf(command), []);
    await using second = await begin(database, "second");
    assert.deepEqual(await filmsOf(second), [8]);
    await using third = await begin(database, "third");
    await second.storage.close();
    await until("its film", () => third.left.some(({ hasFilms }) => hasFilms));
    assert.deepEqual(await filmsOf(third), [8]);
    assert.deepEqual(command.left, []);
  },
);

Deno.test(
  "nobody begins a session by a schema that a newer version has changed meanwhile",
  NEEDS_POSTGRES,
  async () => {
    const database = await newDatabase();
    const waiting = await openPostgresStorage({ url: server.url(database) });
    try {
      await server.ask(
        database,
        "UPDATE cluster_meta SET value = '999' WHERE name LIKE '%schema_version'",
      );
      await assert.rejects(waiting.beginSession(), /has schema version 999/);
      // Nor one that compares nothing, and knows no slots.
      const begun = server.ask(
        database,
        `INSERT INTO node_sessions (session_id, node, label, state, batch_no)
         VALUES (9, 'n', 'n', 'live', 0)`,
      );
      await assert.rejects(begun, /slot/);
    } finally {
      await waiting.close();
    }
  },
);

Deno.test(
  "a schema is brought up to date however long that takes",
  NEEDS_POSTGRES,
  async () => {
    const database = await newDatabase();
    const url = server.url(database);
    await (await openPostgresStorage({ url })).close();
    await server.ask(
      database,
      // The last versions taken back: whoever adds one takes that back as well.
      `DROP TABLE ledger_seals, admin_jobs, console_links, console_ended, run_archives;
       DROP INDEX video_tasks_open_of_project;
       ALTER TABLE node_beats DROP COLUMN schema_version;
       ALTER TABLE batches DROP COLUMN session_id;
       ALTER TABLE webhook_messages DROP COLUMN sender;
       ALTER TABLE stored_responses DROP COLUMN cancel_wanted;
       ALTER TABLE uploaded_files DROP COLUMN object_key;
       UPDATE cluster_meta SET value = '${
        VERSIONS.indexOf(OPEN_FILMS)
      }' WHERE name = 'schema_version'`,
    );
    // As where a large ledger is changed.
    await server.ask(
      database,
      `CREATE TABLE is_enough ();
       CREATE FUNCTION take_long() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
         WHILE NOT EXISTS (SELECT 1 FROM pg_class WHERE relname = 'enough') LOOP
           PERFORM pg_sleep(0.02);
         END LOOP;
       END $$;
       CREATE EVENT TRIGGER takes_long ON ddl_command_start
         WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION take_long()`,
    );
    // For anything else, this is for how long the server may be silent.
    const opening = openPostgresStorage({ url, deadlineMs: 4_000 });
    await until(
      "a statement that takes long",
      async () =>
        await server.ask(
          database,
          `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
           AND wait_event = 'PgSleep' AND clock_timestamp() - query_start > interval '5 s'`,
        ) === "1",
    );
    await server.ask(database, "ALTER TABLE is_enough RENAME TO enough");
    await (await opening).close();
  },
);
