/**
 * Databases that cannot be used: a start says why and what to do, in one sentence without a secret,
 * and has changed nothing.
 *
 * @module
 */

import assert from "node:assert/strict";
import { commandOf, runTollgate } from "../support/executable.ts";
import { runTool } from "../support/outside_tool.ts";
import { NEEDS_POSTGRES, type PostgresServer, startPostgres } from "../support/postgres_server.ts";
import { AUTHORITY } from "../support/tls_certificates.ts";

const PASSWORD = "a very secret word";
const WRONG = "some-other-words";

let server: PostgresServer;
let folder: string;

Deno.test.beforeAll(async () => {
  if (NEEDS_POSTGRES.ignore) return;
  server = await startPostgres({ hasTls: true, password: PASSWORD });
  folder = await Deno.makeTempDir({ prefix: "tollgate-refusals-" });
  for (const database of ["untouched", "foreign", "newer", "odd", "closed"]) {
    await server.create(database);
  }
  await server.ask("foreign", "CREATE TABLE theirs (id bigint)");
  await server.ask("odd", "CREATE TABLE cluster_meta (id bigint)");
  await started("newer");
  await started("closed");
  await server.ask("closed", "ALTER DATABASE closed SET default_transaction_read_only = on");
  await server.ask(
    "postgres",
    "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1'",
  );
  await server.ask(
    "newer",
    "UPDATE cluster_meta SET value = '99' WHERE name LIKE '%schema_version'",
  );
  await Deno.writeTextFile(`${folder}/authority.pem`, AUTHORITY);
});

Deno.test.afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  if (folder !== undefined) await Deno.remove(folder, { recursive: true });
});

/** The address of a database, with another host, password or parameters. */
function address(
  database: string,
  { host = "127.0.0.1", password = PASSWORD, parameters = "" } = {},
): string {
  const who = `tollgate:${encodeURIComponent(password)}`;
  return `postgres://${who}@${host}:${server.port}/${database}${parameters}`;
}

/** A command that makes the tables of an empty database. */
async function started(database: string, env: Readonly<Record<string, string>> = {}) {
  const done = await runTollgate(["projects", "list", "--data-dir", `${folder}/${database}`], {
    env: { TOLLGATE_DATABASE_URL: address(database), ...env },
  });
  assert.equal(done.code, 0, done.stderr);
}

/** Everything that a database has of its own. */
async function contentOf(database: string): Promise<string> {
  const tables = await server.ask(
    database,
    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
  );
  if (!tables.split("\n").includes("node_sessions")) return tables;
  return tables +
    await server.ask(database, "SELECT * FROM node_sessions, cluster_meta ORDER BY 1, 6");
}

/** What is wrong, and what is said of it. */
const REFUSED: readonly (readonly [
  what: string,
  said: RegExp,
  url: () => string,
  env?: () => Readonly<Record<string, string>>,
])[] = [
  ["no address", /Expected an address such as postgres:/, () => `mysql://x:${WRONG}@127.0.0.1/x`],
  [
    "a parameter that is not known",
    /Its parameter sslcert is not known here/,
    () => address("untouched", { parameters: "?sslcert=x" }),
  ],
  [
    "a host that is not there",
    /Cannot use the database untouched on nowhere\.invalid:\d+: .*Check the host and the port/,
    () => address("untouched", { host: "nowhere.invalid", parameters: "?sslmode=disable" }),
  ],
  [
    "a port on which nobody listens",
    /ECONNREFUSED.*Check the host and the port of database_url, and that the server runs/,
    () => `postgres://tollgate:${WRONG}@127.0.0.1:1/untouched`,
  ],
  [
    "a wrong password",
    /password authentication failed for user "tollgate"\. Check the user and the password.* @ : \/ \? # % of a password are written %40/,
    () => address("untouched", { password: WRONG }),
  ],
  [
    "a database that is not there",
    /database "nothing" does not exist\. Make it, or name the one that is meant/,
    () => address("nothing"),
  ],
  [
    "a certificate of an authority that nobody knows",
    /does not prove who it is .*Name the certificate of its authority with database_ca/,
    () => address("untouched", { host: "localhost", parameters: "?sslmode=verify-full" }),
  ],
  [
    "a certificate of another host",
    /certificate is not one of 127\.0\.0\.1 .*Write its host in database_url as its certificate does/,
    () => address("untouched", { parameters: "?sslmode=require" }),
    () => ({ TOLLGATE_DATABASE_CA: `${folder}/authority.pem` }),
  ],
  [
    "certificates that are not there",
    /Cannot read the certificates of database_ca/,
    () => address("untouched", { host: "localhost", parameters: "?sslmode=verify-full" }),
    () => ({ TOLLGATE_DATABASE_CA: `${folder}/nothing.pem` }),
  ],
  [
    "a database of another program",
    /has a table 'theirs' and none of this program's: it is another program's/,
    () => address("foreign"),
  ],
  [
    "a database with a table of the same name",
    /table 'cluster_meta' is not this program's/,
    () => address("odd"),
  ],
  [
    "a schema of a newer version",
    /has schema version 99, and this program knows \d+: a newer version has used it/,
    () => address("newer"),
  ],
  [
    "a database that takes no writes",
    /read-only transaction\. It is a standby, or read-only: name the server that takes writes/,
    () => address("closed"),
  ],
  [
    "a database that cannot hold every text",
    /'latin' has the encoding LATIN1, which cannot hold every text\. Make an empty one .*createdb .*--encoding UTF8 .*"latin_utf8"/,
    () => address("latin"),
  ],
  [
    "backups of a file by schedule",
    /backup_every: Not with database_url: a server's backups are made there/,
    () => address("untouched"),
    () => ({ TOLLGATE_BACKUP_EVERY: "1d" }),
  ],
];

for (const [what, said, url, env = () => ({})] of REFUSED) {
  Deno.test(`a start with ${what} says so, and changes nothing`, NEEDS_POSTGRES, async () => {
    const databases = ["untouched", "foreign", "newer", "odd", "closed"];
    const before = await Promise.all(databases.map(contentOf));
    const done = await runTollgate(
      ["serve", "--listen", "127.0.0.1:0", "--data-dir", `${folder}/serve`],
      { env: { TOLLGATE_DATABASE_URL: url(), ...env() } },
    );
    assert.match(done.stderr, said);
    assert.equal(done.code, /Expected|not known|Not with/.test(said.source) ? 2 : 1, done.stderr);
    for (const text of [PASSWORD, encodeURIComponent(PASSWORD), WRONG]) {
      assert.equal(done.stderr.includes(text) || done.stdout.includes(text), false, done.stderr);
    }
    assert.deepEqual(await Promise.all(databases.map(contentOf)), before);
  });
}

Deno.test(
  "a server that proves who it is by a named authority is used",
  NEEDS_POSTGRES,
  async () => {
    await server.create("verified");
    await started("verified", {
      TOLLGATE_DATABASE_URL: address("verified", {
        host: "localhost",
        parameters: "?sslmode=verify-full",
      }),
      TOLLGATE_DATABASE_CA: `${folder}/authority.pem`,
    });
    assert.match(await contentOf("verified"), /projects/);
  },
);

Deno.test(
  "a start of a machine whose clock is a day off says so, and changes nothing",
  NEEDS_POSTGRES,
  async () => {
    const before = await contentOf("untouched");
    const [program, ...args] = commandOf([
      ...["serve", "--listen", "127.0.0.1:0", "--data-dir", `${folder}/serve`],
    ]);
    const { code, stderr } = await runTool("faketime", ["-f", "+1d", program!, ...args], {
      env: { TOLLGATE_DATABASE_URL: address("untouched") },
    });
    assert.equal(code, 1, stderr);
    assert.match(
      stderr,
      /This machine's clock is 24 hours ahead of the database server's: set the one that is wrong/,
    );
    assert.equal(await contentOf("untouched"), before);
  },
);
