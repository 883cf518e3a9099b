/**
 * A database that has what is not this program's is refused, and left alone.
 *
 * @module
 */

import assert from "node:assert/strict";
import { openPostgresStorage } from "../../../src/storage/postgres/postgres_storage.ts";
import { runTool } from "../../support/outside_tool.ts";
import { NEEDS_POSTGRES, postgresOfFile, PROGRAMS } from "../../support/postgres_server.ts";

const server = postgresOfFile();
let databases = 0;

/** The address of an empty one. */
async function newDatabase(): Promise<string> {
  const database = `foreign_${++databases}`;
  await server.create(database);
  return server.url(database);
}

function psql(url: string, sql: string): Promise<string> {
  return server.ask(url.split("/").at(-1)!, sql);
}

async function opensAndCloses(url: string): Promise<void> {
  await (await openPostgresStorage({ url })).close();
}

Deno.test("a database that is not ours is refused and left alone", NEEDS_POSTGRES, async () => {
  const url = await newDatabase();
  const refusal = (message: RegExp) => ({ name: "StorageOpenError", message });
  await psql(url, "CREATE TABLE orders (id bigint)");
  await assert.rejects(openPostgresStorage({ url }), refusal(/table 'orders'.*another program/));
  assert.equal(await psql(url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "1");
  await psql(url, "ALTER TABLE orders RENAME TO cluster_meta");
  await assert.rejects(openPostgresStorage({ url }), refusal(/'cluster_meta' is not this/));
  await psql(url, "DROP TABLE cluster_meta");
  await opensAndCloses(url);
  await psql(url, "UPDATE cluster_meta SET value = '999' WHERE name LIKE '%schema_version'");
  await assert.rejects(openPostgresStorage({ url }), refusal(/schema version 999.*newer/));
  await assert.rejects(
    openPostgresStorage({ url: url.replace(/[^/]*$/, "nowhere") }),
    refusal(/"nowhere" does not exist/),
  );
  await assert.rejects(
    openPostgresStorage({ url: "postgres://tollgate@127.0.0.1:1/none" }),
    refusal(/ECONNREFUSED/),
  );
});

Deno.test(
  "a database is another program's also where its tables may not be read, and not for an extension's",
  NEEDS_POSTGRES,
  async () => {
    const url = await newDatabase();
    await psql(url, "CREATE ROLE guest LOGIN");
    try {
      await psql(url, "GRANT CREATE ON SCHEMA public TO guest");
      await psql(url, "CREATE TABLE customers (id bigint)");
      const guest = url.replace("tollgate@", "guest@");
      await assert.rejects(openPostgresStorage({ url: guest }), {
        name: "StorageOpenError",
        message: new RegExp(
          `The database '${
            url.split("/").at(-1)
          }' has a table 'customers' and none of this program's`,
        ),
      });
      const tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
      assert.equal(await psql(url, tables), "1");
      await psql(url, "DROP TABLE customers");
      await psql(url, "CREATE EXTENSION pg_stat_statements");
      await opensAndCloses(guest);
    } finally {
      await psql(url, "DROP OWNED BY guest CASCADE");
      await psql(url, "DROP ROLE guest");
    }
  },
);

Deno.test(
  "a database of another encoding is named, with the command that makes a right one",
  NEEDS_POSTGRES,
  async () => {
    const like = " LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0";
    await server.ask("postgres", `CREATE DATABASE old_ascii ENCODING 'SQL_ASCII'${like}`);
    const refused = await openPostgresStorage({ url: server.url("old_ascii") }).then(
      () => assert.fail("it is opened"),
      (error: Error) => error.message,
    );
    assert.match(
      refused,
      /^The database 'old_ascii' has the encoding SQL_ASCII, which cannot hold/,
    );
    const command = /`createdb (.*) "(.*)"`/.exec(refused) ?? assert.fail(refused);
    const made = await runTool(`${PROGRAMS}/createdb`, [
      ...["--host", "127.0.0.1", "--port", String(server.port), "--username", "tollgate"],
      ...[...command[1]!.split(" "), command[2]!],
    ]);
    assert.equal(made.code, 0, made.stderr);
    await opensAndCloses(server.url("old_ascii_utf8"));
    const tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    assert.equal(await server.ask("old_ascii", tables), "0");
  },
);
