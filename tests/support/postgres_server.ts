/**
 * A private PostgreSQL server beside the tests: the machine's or the one that
 * `TOLLGATE_TEST_POSTGRES` names by the folder of its programs, in a folder of its own and as nobody
 * who may do anything.
 *
 * @module
 */

import assert from "node:assert/strict";
import { freePort, untilItListens } from "./listening_port.ts";
import { runTool, type ToolRun } from "./outside_tool.ts";
import { CERTIFICATE, PRIVATE_KEY } from "./tls_certificates.ts";
import { giveAway, unprivileged } from "./unprivileged.ts";

const NAMED = Deno.env.get("TOLLGATE_TEST_POSTGRES");
/** The folder of its programs. */
export const PROGRAMS: string | undefined = NAMED ?? installed();
/** The pooler. */
export const PGBOUNCER: string | undefined = Deno.env.get("TOLLGATE_TEST_PGBOUNCER");

/** Options for tests that need the server: skipped where there is none, but never in CI. */
export const NEEDS_POSTGRES = {
  ignore: Deno.env.get("CI") !== "true" && PROGRAMS === undefined,
};

/** A running server. `await using` ends it, whatever is under way there. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  /** Its first process, which starts all others. */
  readonly pid: number;
  /** The address of a database. */
  url(database: string): string;
  /** Makes an empty database, or one that is as another is now, which nobody uses. */
  create(database: string, like?: string): Promise<unknown>;
  /** What a statement says, of somebody else than the program. */
  ask(database: string, sql: string): Promise<string>;
  /** Stops it at once, as a crash would. */
  crash(): Promise<unknown>;
  /** Starts it again. */
  start(): Promise<unknown>;
  /** Stops it as a crash would, for ever. */
  lose(): Promise<void>;
  /**
   * Makes and starts a server that follows it, until it is promoted.
   *
   * @param port Where it reaches it. Default: its own.
   */
  follow(port?: number): Promise<PostgresServer>;
}

/** How a server is made. */
export interface PostgresServerOptions {
  /** Whether it syncs what it writes. Default: not, unless that is what matters. */
  readonly isSynced?: boolean;
  /** Whether it offers TLS, as `localhost`. */
  readonly hasTls?: boolean;
  /** What it wants of its user. Default: nothing. */
  readonly password?: string;
  /** The port of a server that it is made from and follows. Default: of none, it is empty. */
  readonly follows?: number | undefined;
}

/**
 * A server for all tests of a file: made before the first, and ended behind the last. Where there is none on
 * this machine it is not to be used: the tests are skipped.
 */
export function postgresOfFile(options: PostgresServerOptions = {}): PostgresServer {
  let server: PostgresServer | undefined;
  Deno.test.beforeAll(async () => {
    if (!NEEDS_POSTGRES.ignore) server = await startPostgres(options);
  });
  Deno.test.afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });
  return new Proxy({} as PostgresServer, {
    get(_, name) {
      assert.ok(server, "there is no server before the first test");
      return Reflect.get(server, name);
    },
  });
}

/** Makes and starts a server. */
export async function startPostgres(
  { isSynced = false, hasTls = false, password, follows }: PostgresServerOptions = {},
): Promise<PostgresServer> {
  assert.ok(PROGRAMS, "no PostgreSQL is installed, and TOLLGATE_TEST_POSTGRES names none");
  const folder = await Deno.makeTempDir({ prefix: "tollgate-postgres-" });
  const data = `${folder}/data`;
  const port = freePort();
  await giveAway(folder);
  const run = (program: string, ...args: readonly string[]) =>
    succeeds(runAs(`${PROGRAMS}/${program}`, args));
  const start = () =>
    run(
      "pg_ctl",
      ...["-D", data, "-l", `${folder}/log`, "-w", "-t", "60"],
      ...["-o", `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c max_connections=200`],
      ...["-o", `-c fsync=${isSynced ? "on" : "off"} -c ssl=${hasTls ? "on" : "off"}`],
      "start",
    );
  const stop = () => run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop");
  if (follows === undefined) {
    await run(
      "initdb",
      ...["-D", data, "-U", "tollgate", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    );
  } else {
    await run(
      "pg_basebackup",
      ...["-D", data, "-d", `host=127.0.0.1 port=${follows} user=tollgate`, "-R", "-c", "fast"],
    );
  }
  if (hasTls) await putFiles(data, { "server.crt": CERTIFICATE, "server.key": PRIVATE_KEY });
  await start();
  if (password !== undefined) {
    const set = `ALTER USER tollgate PASSWORD '${password}'`;
    await run(
      "psql",
      "-h",
      "127.0.0.1",
      "-p",
      String(port),
      "-U",
      "tollgate",
      "-d",
      "postgres",
      "-c",
      set,
    );
    await putFiles(data, { "pg_hba.conf": "host all all all scram-sha-256\n" });
    await run("pg_ctl", "-D", data, "reload");
  }
  const who = password === undefined ? "tollgate" : `tollgate:${encodeURIComponent(password)}`;
  const url = (database: string) => `postgres://${who}@127.0.0.1:${port}/${database}`;
  let isLost = false;
  const lose = async () => {
    if (isLost) return;
    isLost = true;
    await stop();
    await Deno.remove(folder, { recursive: true });
  };
  return {
    port,
    get pid() {
      return Number(Deno.readTextFileSync(`${data}/postmaster.pid`).split("\n")[0]);
    },
    url,
    create: (database, like = "template0") =>
      run(
        "psql",
        "-At",
        "-d",
        url("postgres"),
        "-c",
        `CREATE DATABASE "${database}" TEMPLATE "${like}"`,
      ),
    ask: async (database, sql) => (await run("psql", "-At", "-d", url(database), "-c", sql)).trim(),
    crash: stop,
    start,
    lose,
    follow: (follows = port) => startPostgres({ isSynced, hasTls, password, follows }),
    [Symbol.asyncDispose]: lose,
  };
}

/** Options for tests that need the pooler, likewise. */
export const NEEDS_PGBOUNCER = {
  ignore: Deno.env.get("CI") !== "true" && (PROGRAMS === undefined || PGBOUNCER === undefined),
};

/** A pooler before a server, in transaction mode. `await using` ends it. */
export interface Pooler extends AsyncDisposable {
  url(database: string): string;
}

/** Starts pgbouncer before a server: statements of several clients share few connections. */
export async function startPgbouncer({ port: serverPort }: PostgresServer): Promise<Pooler> {
  assert.ok(PGBOUNCER, "TOLLGATE_TEST_PGBOUNCER names no pgbouncer");
  const folder = await Deno.makeTempDir({ prefix: "tollgate-pgbouncer-" });
  const port = freePort();
  await Deno.writeTextFile(
    `${folder}/pgbouncer.ini`,
    `[databases]
* = host=127.0.0.1 port=${serverPort} user=tollgate
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
server_idle_timeout = 1
logfile = ${folder}/log
`,
  );
  await giveAway(folder);
  const [program, ...args] = unprivileged(PGBOUNCER, "-q", `${folder}/pgbouncer.ini`);
  const child = new Deno.Command(program, {
    args,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  await untilItListens(port, child.status);
  return {
    url: (database) => `postgres://tollgate@127.0.0.1:${port}/${database}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

function runAs(program: string, args: readonly string[]): Promise<ToolRun> {
  // A server that goes on keeps what it was given open: its words are in its log.
  const script = 'exec "$0" "$@" </dev/null';
  const [first, ...words] = unprivileged("sh", "-c", script, program, ...args);
  return runTool(first, words, { cwd: "/" });
}

/** Files that only the server's user may read. */
async function putFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = `${folder}/${name}`;
    await Deno.writeTextFile(path, text, { mode: 0o600 });
    await giveAway(path);
  }
}

async function succeeds(running: Promise<ToolRun>): Promise<string> {
  const { code, stdout, stderr } = await running;
  assert.equal(code, 0, `${stdout}${stderr}`);
  return stdout;
}

/** The folder of the newest PostgreSQL's programs, where Debian puts them. */
function installed(): string | undefined {
  const root = "/usr/lib/postgresql";
  try {
    const versions = [...Deno.readDirSync(root)].map(({ name }) => Number(name))
      .filter((version) => version >= 14);
    return versions.length === 0 ? undefined : `${root}/${Math.max(...versions)}/bin`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
