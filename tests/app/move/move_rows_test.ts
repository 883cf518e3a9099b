/**
 * Every table and every fact of a database goes to a server and back, as it is.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import {
  fileToFill,
  fileToMove,
  serverToFill,
  serverToLeave,
} from "../../../src/app/database/moving.ts";
import { compareSides, copyRows } from "../../../src/app/move/copy_rows.ts";
import { MOVED_TABLES, movedFacts } from "../../../src/storage/ports/moving.ts";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import { ROOT } from "../../../build/paths.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { withDatabasePath } from "../../storage/sqlite/temporary_database.ts";
import { contentOf, using, writeFullDatabase } from "./full_database.ts";

const server = postgresOfFile();

const NOBODY = { onProgress() {}, signal: new AbortController().signal };

/** Moved as what another table has: archived days as hours. */
const FOLDED = ["usage_daily"];
/** Facts that statements name. */
const NAMED_FACT = /meta (?:WHERE name = |\(name, value\)\s+VALUES \()'([a-z_]+)'/g;

Deno.test("no fact that a statement names is unknown to a move", async () => {
  const named = new Set<string>();
  for (const folder of ["sqlite", "sqlite/migrations", "postgres", "postgres/schema"]) {
    for await (const { name, isFile } of Deno.readDir(`${ROOT}/src/storage/${folder}`)) {
      if (!isFile) continue;
      const text = await Deno.readTextFile(`${ROOT}/src/storage/${folder}/${name}`);
      for (const [, fact] of text.matchAll(NAMED_FACT)) named.add(fact!);
    }
  }
  assert.ok(named.size >= 9, [...named].join());
  movedFacts(new Map([...named].map((name) => [name, ""])));
  assert.throws(
    () => movedFacts(new Map([["new_one", ""]])),
    /Nothing is known of the fact 'new_one'/,
  );
});

Deno.test("no table of a new database is unknown to a move", async () => {
  await withDatabasePath(async (path) => {
    await createSqliteStorage(path).close();
    const database = new DatabaseSync(path);
    const names = (sql: string) => database.prepare(sql).all().map(({ name }) => name as string);
    const tables = names(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    );
    database.close();
    const known = [...MOVED_TABLES.map(({ name }) => name), ...FOLDED, "meta"];
    assert.deepEqual(tables, known.sort());
  });
});

Deno.test("no table of a server's database is unknown to a move", NEEDS_POSTGRES, async () => {
  await server.create("tables");
  await using(await serverToFill(place("tables"), Date.now), () => Promise.resolve());
  const tables = await server.ask(
    "tables",
    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
  );
  // Facts, which are moved one by one, and what sessions of its own say to each other.
  const own = [
    ...["cluster_meta", "node_sessions", "node_beats"],
    ...["config_changes", "idempotency_claims", "pools", "shares", "share_turns"],
    ...["budget_turns", "leases", "ledger_books", "ledger_seals"],
    ...["admin_jobs", "console_links", "console_ended", "run_archives"],
  ];
  assert.deepEqual(
    tables.split("\n").sort(),
    [...MOVED_TABLES.map(({ name }) => name), ...own].sort(),
  );
});

function place(database: string) {
  return { url: server.url(database), caFile: undefined };
}

Deno.test(
  "every row of every table goes to a server and back as it is",
  NEEDS_POSTGRES,
  async () => {
    await withDatabasePath(async (path, folder) => {
      await writeFullDatabase(path);
      await server.create("rows");
      const before = await using(fileToMove(path), async (source) => {
        const content = await contentOf(source);
        for (const [table, rows] of Object.entries(content)) assert.ok(rows.length > 0, table);
        await using(await serverToFill(place("rows"), Date.now), async (target) => {
          await copyRows(source, target, NOBODY);
          assert.deepEqual((await compareSides(source, target)).unequal, []);
          await target.open();
        });
        return content;
      });
      await using(await serverToLeave(place("rows"), folder), async (source) => {
        await assert.rejects(contentOf(source), /read at one moment/);
        await source.atOneMoment(async () => {
          assert.deepEqual(await contentOf(source), before);
          await using(await fileToFill(`${folder}/back.db`, "back"), async (target) => {
            await copyRows(source, target, NOBODY);
            assert.deepEqual((await compareSides(source, target)).unequal, []);
          });
        });
      });
      await using(fileToMove(`${folder}/back.db`), async (source) => {
        assert.deepEqual(await contentOf(source), before);
      });
      // What guards rows is there again.
      const database = new DatabaseSync(`${folder}/back.db`);
      assert.throws(() => database.exec("UPDATE ledger SET at = 1"), /append-only/);
      database.close();
      // Numbers that the server gives go on behind those that came.
      const place9 = await server.ask(
        "rows",
        "INSERT INTO refused_requests (call_id, request_id, project_id, key_id, capability, model, reason, why, status, param, message, at) SELECT call_id, request_id, project_id, key_id, capability, model, reason, why, status, param, message, at FROM refused_requests RETURNING place",
      );
      assert.equal(place9.split("\n")[0], "10");
    });
  },
);
