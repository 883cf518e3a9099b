/**
 * `doctor` beside a server that does not answer all that it is asked, and beside one whose database is on
 * a server that only it knows.
 *
 * @module
 */

import assert from "node:assert/strict";
import { listen } from "../../src/http/listener.ts";
import { lockDataDir } from "../../src/storage/ownership/data_dir_lock.ts";
import { runCommand, withDataDir } from "./run_in_process.ts";

const READY = { status: "ready", reasons: [], warnings: [] };
/** Of a server whose database is on a server. */
const READY_NODE = {
  ...READY,
  node: { session: 1, nodes: 2, database_silence_seconds: 0.2 },
};
const SYSTEM = "/admin/v1/system";
const ITSELF = "/admin/v1/doctor";

/** What a server says of a path. */
interface Answer {
  readonly status?: number;
  readonly body: unknown;
  /** What the answer waits for. */
  readonly behind?: Promise<unknown>;
}

/** What `doctor --offline` prints beside a server that answers so, each with its status. */
async function beside(
  answers: {
    readonly [path: string]: Answer;
  },
  { database, onAsked = () => {} }: {
    /** The address of one on a server, as this shell knows it. */
    readonly database?: string;
    /** Hears of each path that is asked for. */
    readonly onAsked?: (path: string) => void;
  } = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly asked: readonly unknown[] }> {
  let found: Awaited<ReturnType<typeof runCommand>> | undefined;
  const asked: unknown[] = [];
  await withDataDir(async (dataDir) => {
    const socket = `${dataDir}/control.sock`;
    const lock = await lockDataDir(dataDir, { owner: { pid: 4242, socket, kind: "server" } });
    const server = listen(async (request) => {
      const { pathname } = new URL(request.url);
      onAsked(pathname);
      if (pathname === ITSELF) asked.push(await request.json());
      const { status = 200, body, behind } = answers[pathname] ?? refused(404);
      await behind;
      return Response.json(body, { status });
    }, { unixPath: socket });
    try {
      found = await runCommand(["doctor", "--offline", "--data-dir", dataDir], {
        env: database === undefined ? {} : { TOLLGATE_DATABASE_URL: database },
      });
    } finally {
      server.close();
      lock.release();
    }
  });
  return { ...found!, asked };
}

function refused(status: number): Answer {
  return { status, body: { error: { code: "any", message: "Not now" } } };
}

Deno.test("doctor takes a server for older where it does not know what it is asked, or answers in another shape", async () => {
  const older = { body: { version: "0.0.9" } };
  for (const system of [refused(404), refused(405), older]) {
    const { code, stdout } = await beside({ "/readyz": { body: READY }, [SYSTEM]: system });
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^warning +server +The server with process id 4242 is older than this/m);
    assert.doesNotMatch(stdout, /does not answer/);
  }
});

Deno.test("doctor says of a server whose database is away that this is why it does not answer", async () => {
  // A fault as it may be while nobody knows yet, or as earlier builds have it.
  const silent = { ...READY_NODE, node: { ...READY_NODE.node, database_silence_seconds: 9.5 } };
  const faulty = await beside({ "/readyz": { body: silent }, [SYSTEM]: refused(500) });
  assert.match(faulty.stdout, /^problem +server +.* doctor asks, as its database does not$/m);
  const { code, stdout } = await beside({
    "/readyz": { body: READY_NODE },
    [SYSTEM]: refused(503),
    [ITSELF]: refused(503),
  });
  assert.equal(code, 1);
  assert.match(
    stdout,
    /^problem +server +The server with process id 4242 does not answer what doctor asks, as its database does not\n +→ Have the database answer again: .* a restart mends nothing$/m,
  );
  assert.match(
    stdout,
    /^problem +database +Not looked at: the server has it on a database server, and says of that: Not now\n +→ Set TOLLGATE_DATABASE_URL/m,
  );
  assert.doesNotMatch(stdout, /older|Restart|The next start makes one/);
});

Deno.test("doctor says why a server does not answer that is neither older nor without its database", async () => {
  for (const [ready, status] of [[READY, 503], [READY_NODE, 500]] as const) {
    const { code, stdout } = await beside({
      "/readyz": { body: ready },
      [SYSTEM]: refused(status),
    });
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^problem +server +.*4242 does not answer what doctor asks: Not now\n +→ Look at its log$/m,
    );
    assert.doesNotMatch(stdout, /older|as its database does not/);
  }
});

Deno.test("doctor has a server look at the database server that this shell knows nothing of", async () => {
  const finding = (check: string, status: string, detail: string) => ({
    ...{ check, status, detail },
    remedy: status === "ok" ? null : "Do something",
  });
  const findings = [
    finding("files", "problem", "of the server's own look"),
    finding("server", "ok", "of the server's own look"),
    finding("database", "ok", "PostgreSQL 15.18: it answers"),
    finding("database", "problem", "there is no standby"),
    finding("clock", "ok", "as it should be"),
  ];
  const { code, stdout, asked } = await beside({
    "/readyz": { body: READY_NODE },
    [ITSELF]: { body: { findings } },
  });
  assert.equal(code, 1);
  assert.deepEqual(asked, [{ offline: true }]);
  assert.match(stdout, /^ok +database +PostgreSQL 15\.18: it answers$/m);
  assert.match(stdout, /^problem +database +there is no standby\n +→ Do something$/m);
  assert.match(stdout, /^ok +clock +as it should be$/m);
  assert.doesNotMatch(stdout, /of the server's own look|The next start makes one/);
});

Deno.test("doctor has a server look at its database while it asks the server what waits for that, too", async () => {
  const looking = Promise.withResolvers<void>();
  const seen: string[] = [];
  const { stdout, asked } = await beside({
    "/readyz": { body: READY_NODE },
    [SYSTEM]: { ...refused(503), behind: looking.promise },
    [ITSELF]: refused(503),
  }, {
    onAsked(path) {
      seen.push(path);
      if (path === ITSELF) looking.resolve();
    },
  });
  // It is asked whether it is ready once more, when it has said no more than that, or nothing in time.
  assert.equal(seen.at(-1), "/readyz");
  assert.deepEqual(asked, [{ offline: true }]);
  assert.match(stdout, /^problem +server +.* doctor asks, as its database does not$/m);
  assert.match(stdout, /^problem +database +Not looked at: .* says of that: Not now$/m);
});

Deno.test("doctor looks at a database that it knows while it asks the server that has it, and has nobody else look", async () => {
  const looking = Promise.withResolvers<void>();
  const seen: string[] = [];
  using line = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepting = line.accept().then((connection) => {
    looking.resolve();
    seen.push("the database");
    connection.close();
    line.close();
  });
  const { port } = line.addr as Deno.NetAddr;
  const { stdout, asked } = await beside({
    "/readyz": { body: READY_NODE },
    [SYSTEM]: { ...refused(503), behind: looking.promise },
    [ITSELF]: refused(503),
  }, {
    onAsked: (path) => seen.push(path),
    database: `postgres://tollgate@127.0.0.1:${port}/tg`,
  });
  await accepting;
  assert.equal(seen.at(-1), "/readyz");
  assert.deepEqual(asked, []);
  assert.match(stdout, /^problem +server +.* doctor asks, as its database does not$/m);
  assert.match(stdout, /^problem +database +Cannot use the database tg on 127\.0\.0\.1/m);
});
