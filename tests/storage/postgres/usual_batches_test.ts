/**
 * A node's usual batch is one statement, written once whatever becomes of the connection; what that cannot
 * take is a transaction, with what the statement has left.
 *
 * @module
 */

import assert from "node:assert/strict";
import { checkLedger } from "../../../src/admin/ledger_check/check_ledger.ts";
import type { Entry } from "../../../src/storage/ports/entry.ts";
import { Connection } from "../../../src/storage/postgres/connection.ts";
import {
  openPostgresStorage,
  type PostgresStorage,
} from "../../../src/storage/postgres/postgres_storage.ts";
import { endSessions } from "../../../src/storage/postgres/session_register.ts";
import {
  commitOne,
  fundProject,
  sampleClosedCall,
  sampleOpenCall,
  words,
} from "../../conformance/storage_samples.ts";
import { cutLine, type CuttingLine } from "../../support/cutting_line.ts";
import {
  NEEDS_PGBOUNCER,
  NEEDS_POSTGRES,
  postgresOfFile,
  startPgbouncer,
} from "../../support/postgres_server.ts";
import { until } from "../../support/until.ts";

const FUNDS = 10_000n;
/** What is said of the one row of a settled call. */
const SETTLE = `"kind":"settle"`;

const server = postgresOfFile();
let databases = 0;

interface Scene {
  readonly node: PostgresStorage;
  readonly line: CuttingLine;
  readonly database: string;
}

/** A node of a new database that has a lease of all its funds and has ended a call: its rows are known. */
async function withNode(
  run: (scene: Scene) => Promise<void>,
  { deadlineMs = 15_000, patienceMs = 60_000 } = {},
): Promise<void> {
  const database = `usual_${++databases}`;
  await server.create(database);
  using line = cutLine(server.port);
  const url = server.url(database).replace(`:${server.port}/`, `:${line.port}/`);
  const identity = { node: "one", label: "one" };
  const options = {
    identity,
    beatMs: 60_000,
    reapMs: 120_000,
    deadlineMs,
    patienceMs,
    usageMs: 600_000,
  };
  const node = await openPostgresStorage({ url, ...options });
  try {
    await node.beginSession();
    await fundProject(node, FUNDS);
    const lease = { kind: "lease", projectId: "acme", needE8: FUNDS, wishE8: FUNDS } as const;
    assert.deepEqual(words([await commitOne(node, lease)]), ["ok"]);
    assert.deepEqual(words([await commitOne(node, close(1))]), ["ok"]);
    await run({ node, line, database });
  } finally {
    line.release();
    await node.close();
  }
}

/** What clients have said is what they say from now on. */
function startAnew(line: CuttingLine): void {
  line.hold("to_client");
  line.release();
}

function hold(callId: number): Entry {
  return { kind: "hold", call: sampleOpenCall({ callId, heldE8: 100n }) };
}

/** Ends a call that held 100 and costs 60. */
function close(callId: number): Entry {
  const amounts = { heldE8: 100n, saleE8: 60n, chargedE8: 60n };
  return { kind: "close", call: sampleClosedCall({ callId, ...amounts }) };
}

/** What is stored: each call's state, the lease, and whether everything adds up. */
async function stored({ node, database }: Scene) {
  const calls = await server.ask(
    database,
    "SELECT string_agg(call_id || ' ' || state, ', ' ORDER BY call_id) FROM calls",
  );
  const lease = await server.ask(
    database,
    "SELECT left_e8 || ' left, ' || held_e8 || ' held' FROM leases",
  );
  const { differences } = await checkLedger(node);
  // The samples are priced by nothing that is stored.
  assert.deepEqual(differences.filter(({ column }) => column !== "price_version"), []);
  return { calls, lease };
}

Deno.test(
  "a usual batch is one round trip, and no transaction around it",
  NEEDS_POSTGRES,
  () =>
    withNode(async (scene) => {
      const { node, line } = scene;
      line.hold("to_client");
      const written = node.commitBatch([hold(2), close(3), hold(4), close(4)]);
      await until("the statement to be sent", () => line.said.includes(SETTLE));
      assert.match(line.said, /^B/, "values are bound to a statement that the server keeps");
      assert.doesNotMatch(line.said, /BEGIN|FROM projects/, "nothing is asked for before");
      line.release();
      assert.deepEqual(words(await written), ["ok", "ok", "ok", "ok"]);
      assert.doesNotMatch(line.said, /COMMIT/);
      assert.deepEqual(await stored(scene), {
        calls: "1 settled, 2 open, 3 settled, 4 settled",
        lease: "9720 left, 100 held",
      });
      line.hold("to_client");
      const ended = commitOne(node, close(2));
      await until("the statement to be sent", () => line.said.includes(SETTLE));
      assert.doesNotMatch(line.said, /BEGIN|FROM projects/, "its own open call is known");
      line.release();
      assert.deepEqual(words([await ended]), ["ok"]);
      assert.equal((await stored(scene)).lease, "9760 left, 0 held");
    }),
);

for (const cut of ["before_commit", "before_answer"] as const) {
  Deno.test(
    `a usual batch is written once when it is cut ${cut}`,
    NEEDS_POSTGRES,
    () =>
      withNode(async (scene) => {
        const { node, line } = scene;
        line.cutNext(cut);
        assert.deepEqual(words(await node.commitBatch([close(2), hold(3)])), ["ok", "ok"]);
        assert.equal(line.cuts, 1);
        assert.deepEqual(words([await commitOne(node, close(3))]), ["ok"], "the next one goes on");
        assert.deepEqual(await stored(scene), {
          calls: "1 settled, 2 settled, 3 settled",
          lease: "9820 left, 0 held",
        });
      }),
  );
}

Deno.test(
  "who knows nothing any more of a call that is open does not hold for it again",
  NEEDS_POSTGRES,
  () =>
    withNode(async (scene) => {
      const { node } = scene;
      assert.deepEqual(words([await commitOne(node, hold(2))]), ["ok"]);
      // What cannot be written together leaves nothing known.
      assert.deepEqual(words(await node.commitBatch([close(1), hold(3)])), ["conflict", "ok"]);
      // The lease is known again by the next one, the call is not.
      assert.deepEqual(words([await commitOne(node, close(4))]), ["ok"]);
      assert.deepEqual(words([await commitOne(node, close(2))]), ["ok"]);
      assert.deepEqual(words([await commitOne(node, close(3))]), ["ok"]);
      assert.deepEqual(await stored(scene), {
        calls: "1 settled, 2 settled, 3 settled, 4 settled",
        lease: "9760 left, 0 held",
      });
    }),
);

Deno.test(
  "no table that grows is walked over, however old the plan is",
  NEEDS_POSTGRES,
  () =>
    withNode(async ({ node, database }) => {
      const seen = async () => {
        const [added, walks] = (await server.ask(
          database,
          `SELECT sum(n_tup_ins), sum(seq_scan) FROM pg_stat_user_tables
         WHERE relname IN ('calls', 'ledger')`,
        )).split("|").map(Number);
        return { added: added!, walks: walks! };
      };
      // Of the call that was ended: its row, and those of its end and of the credit.
      await until("what came before to be counted", async () => (await seen()).added === 3);
      const { walks } = await seen();
      for (let callId = 2; callId < 22; callId++) await commitOne(node, close(callId));
      await until("all to be counted", async () => (await seen()).added === 3 + 2 * 20);
      assert.equal((await seen()).walks, walks);
    }),
);

Deno.test(
  "what has ended is refused, and so is what the lease does not cover",
  NEEDS_POSTGRES,
  () =>
    withNode(async (scene) => {
      const { node } = scene;
      const before = await stored(scene);
      const dear = sampleClosedCall({ callId: 2, heldE8: FUNDS, saleE8: 60n, chargedE8: 60n });
      assert.deepEqual(words([await commitOne(node, close(1))]), ["conflict"]);
      assert.deepEqual(words([await commitOne(node, { kind: "close", call: dear })]), ["conflict"]);
      assert.deepEqual(await stored(scene), before);
      assert.deepEqual(words([await commitOne(node, close(2))]), ["ok"]);
    }),
);

Deno.test(
  "what was under way when it was asked for is not written again",
  NEEDS_POSTGRES,
  () =>
    withNode(async (scene) => {
      const { node, line, database } = scene;
      const others = await Connection.open({ url: server.url(database) });
      try {
        await others.runEach("BEGIN", "SELECT 1 FROM node_sessions FOR UPDATE");
        startAnew(line);
        const written = commitOne(node, close(2));
        // The server waits, and nobody waits for it for so long: it is sent again, beside the first.
        await until("it to be sent twice", () => line.said.split(SETTLE).length > 2);
        await others.commit();
        assert.deepEqual(words([await written]), ["ok"]);
      } finally {
        await others.close();
      }
      assert.deepEqual(words([await commitOne(node, close(3))]), ["ok"], "the next one goes on");
      assert.deepEqual(await stored(scene), {
        calls: "1 settled, 2 settled, 3 settled",
        lease: "9820 left, 0 held",
      });
    }, { deadlineMs: 1_000 }),
);

Deno.test(
  "the server waits no longer than for a transaction, and locks nothing then",
  NEEDS_POSTGRES,
  () =>
    withNode(async ({ node, line, database }) => {
      const others = await Connection.open({ url: server.url(database) });
      try {
        await others.runEach("BEGIN", "SELECT 1 FROM leases FOR UPDATE");
        startAnew(line);
        const written = commitOne(node, close(2));
        // Nobody gives up here: that it is sent again shows that the server has.
        await until("it to be sent again", () => line.said.split(SETTLE).length > 2);
        await others.commit();
        assert.deepEqual(words([await written]), ["ok"]);
      } finally {
        await others.close();
      }
    }, { deadlineMs: 60_000 }),
);

Deno.test(
  "what may be written is not refused for being there",
  NEEDS_POSTGRES,
  () =>
    withNode(async (scene) => {
      const { node, line, database } = scene;
      const others = await Connection.open({ url: server.url(database) });
      try {
        await others.runEach("BEGIN", "SELECT 1 FROM node_sessions FOR UPDATE");
        startAnew(line);
        // Until nobody is patient any more.
        const result = await commitOne(node, close(2));
        assert.equal(!result.ok && result.reason, "unavailable");
        assert.equal(!result.ok && result.mayBeWritten, true);
        await others.commit();
      } finally {
        await others.close();
      }
      const state = () => server.ask(database, "SELECT state FROM calls WHERE call_id = 2");
      await until("the server to come to its end", async () => await state() === "settled");
      assert.deepEqual(words([await commitOne(node, close(2))]), ["conflict"], "it is there once");
      assert.deepEqual(words([await commitOne(node, close(3))]), ["ok"], "the next one goes on");
    }, { deadlineMs: 1_000, patienceMs: 2_500 }),
);

Deno.test(
  "in the book of a session that others have ended nothing is written",
  NEEDS_POSTGRES,
  () =>
    withNode(async ({ node, database }) => {
      const session = await server.ask(
        database,
        "SELECT session_id FROM node_sessions WHERE state = 'live'",
      );
      const others = await Connection.open({ url: server.url(database) });
      try {
        await endSessions(others, [Number(session)]);
      } finally {
        await others.close();
      }
      // Another session books it, once, for this one.
      assert.deepEqual(words([await commitOne(node, close(2))]), ["ok"]);
      const books = await server.ask(
        database,
        `SELECT string_agg((book = ${session})::text, ' ' ORDER BY call_id) FROM ledger
       WHERE kind = 'settle'`,
      );
      assert.equal(books, "true false");
    }),
);

Deno.test(
  "nodes behind a pooler that shares connections write theirs, each once",
  NEEDS_PGBOUNCER,
  async () => {
    await using pooler = await startPgbouncer(server);
    using line = cutLine(Number(new URL(pooler.url("any")).port));
    const database = `usual_${++databases}`;
    await server.create(database);
    const nodes: PostgresStorage[] = [];
    try {
      for (const name of ["one", "two", "three", "four"]) {
        const options = { identity: { node: name, label: name }, reapMs: 120_000 };
        const url = pooler.url(database).replace(/:\d+\//, `:${line.port}/`);
        nodes.push(await openPostgresStorage({ url, ...options }));
        await nodes.at(-1)!.beginSession();
      }
      await fundProject(nodes[0]!, FUNDS);
      await Promise.all(nodes.map(async (node, at) => {
        const lease = { kind: "lease", projectId: "acme", needE8: 2_500n, wishE8: 2_500n } as const;
        assert.deepEqual(words([await commitOne(node, lease)]), ["ok"]);
        for (let round = 1; round <= 20; round++) {
          const id = at * 100 + round * 2;
          assert.deepEqual(words(await node.commitBatch([close(id), hold(id + 1)])), ["ok", "ok"]);
          assert.deepEqual(words([await commitOne(node, close(id + 1))]), ["ok"]);
        }
      }));
      const [left, , settled] = (await server.ask(
        database,
        `SELECT sum(left_e8), sum(held_e8), (SELECT count(*) FROM calls WHERE state = 'settled')
         FROM leases`,
      )).split("|");
      assert.match(line.said, /tollgate_[0-9a-f]{32}\0WITH fence/, "asked to keep it");
      assert.match(line.said, /[^0-9a-f]\0WITH fence/, "and told that it has not");
      assert.deepEqual([left, settled], [String(4 * 2_500 - 160 * 60), "160"]);
    } finally {
      for (const node of nodes) await node.close();
    }
  },
);

Deno.test(
  "what the statement cannot take is a transaction also where its first try was cut off",
  NEEDS_POSTGRES,
  () =>
    withNode(async (scene) => {
      const { node, line } = scene;
      assert.deepEqual(words([await commitOne(node, hold(7))]), ["ok"]);
      // What is known of open calls is forgotten with what is refused.
      assert.deepEqual(words([await commitOne(node, close(1))]), ["conflict"]);
      line.cutNext("before_commit");
      assert.deepEqual(words([await commitOne(node, close(7))]), ["ok"]);
      assert.equal(line.cuts, 1);
      assert.deepEqual(await stored(scene), {
        calls: "1 settled, 7 settled",
        lease: "9880 left, 0 held",
      });
    }),
);
