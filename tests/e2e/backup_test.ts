/**
 * Backups of the executable: taken while it is called, verified, restored; and
 * what no backup holds.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runTollgate, startTollgate } from "../support/executable.ts";
import { serveGateway } from "../support/served_gateway.ts";

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: echo-1
    kind: chat
    routes:
      - { id: builtin/echo-1, provider: builtin, upstream_model: echo-1, sale: { input: "2", output: "4" } }
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;

function contains(bytes: Uint8Array, text: string): boolean {
  return new TextDecoder("latin1").decode(bytes).includes(text);
}

Deno.test("a backup taken under load adds up, holds no key, and brings its balance back", async () => {
  await using gateway = await serveGateway({ catalogue: CATALOGUE });
  const { server, cli } = gateway;
  await cli("projects", "credit", "paying", "10");
  const key = await gateway.key("paying");
  const call = async () => {
    const body = { model: "echo-1", messages: [{ role: "user", content: "canary prompt" }] };
    const response = await gateway.chat(key, body);
    assert.equal(response.status, 200, await response.text());
  };
  let isOver = false;
  let calls = 0;
  const load = Promise.all(Array.from({ length: 4 }, async () => {
    for (; !isOver; calls++) await call();
  }));
  const file = `${server.cwd}/under-load.db`;
  for (let backup = 0; backup < 3; backup++) {
    const report = await cli("backup", "create", `${file}.${backup}`);
    assert.deepEqual(report.differences, []);
    assert.ok(report.calls <= calls + 4);
  }
  isOver = true;
  await load;
  const report = await cli("backup", "create", file);
  assert.equal(report.calls, calls);
  assert.equal(report.open_calls, 0);

  const bytes = await Deno.readFile(file);
  for (const secret of [key, server.key, "canary prompt"]) assert.ok(!contains(bytes, secret));
  assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
  const balance = async () =>
    (await cli("projects", "list")).find(({ id }: { id: string }) => id === "paying").balance;
  const before = await balance();
  await call();
  assert.notEqual(await balance(), before);

  const running = await runTollgate(["backup", "restore", file, "--data-dir", server.dataDir]);
  assert.equal(running.code, 1);
  assert.match(running.stderr, new RegExp(`server with process id ${server.process.pid} has it`));
  await server.stop();
  // In this process, as no server runs.
  const later = await cli("backup", "create", `${file}.later`);
  assert.deepEqual([later.calls, later.differences], [calls + 1, []]);
  const first = await runTollgate(["backup", "restore", file, "--data-dir", server.dataDir]);
  assert.equal(first.code, 1);
  assert.match(first.stderr, /^tollgate: Cannot restore .*--yes.*Nothing was changed\n$/);
  const verified = await runTollgate(["backup", "verify", file, "--json"]);
  assert.equal(verified.code, 0, verified.stderr);
  assert.equal(JSON.parse(verified.stdout).sha256, report.sha256);
  const restored = await cli("backup", "restore", file, "--yes");
  assert.equal(restored.calls, calls);
  assert.ok((await Deno.stat(restored.kept)).isFile);
  assert.equal(await balance(), before);
  assert.deepEqual((await cli("ledger", "verify")).differences, []);
  await using again = await startTollgate({ dataDir: server.dataDir });
  const answer = await fetch(`${again.baseUrl}/v1/models`, {
    headers: { authorization: `Bearer ${key}` },
  });
  assert.equal(answer.status, 200, await answer.text());
});

Deno.test("backup commands say in one line what they cannot do", async () => {
  await using server = await startTollgate();
  const at = ["--data-dir", server.dataDir];
  await Deno.writeTextFile(`${server.cwd}/mine`, "mine");
  await Deno.symlink(server.dataDir, `${server.cwd}/linked`);
  const first = await runTollgate(["backup", "create", ...at]);
  assert.equal(first.code, 0, first.stderr);
  const cases = [
    [["create", `${server.cwd}/mine`, ...at], 1, /something of that name already/],
    [["create", "a", "--to", "b", ...at], 2, /not both/],
    [["create", `${server.cwd}/linked/tollgate.db-wal`, ...at], 1, /SQLite would take it/],
    [
      ["create", `${server.dataDir}/tollgate.db-journal`, ...at],
      1,
      /SQLite would take it for a part of the database/,
    ],
    [["create", "--to", `${server.cwd}/none`, ...at], 1, /there is no folder/],
    [["verify", `${server.cwd}/mine`], 1, /not an SQLite database/],
    [["verify", `${server.cwd}/none`], 1, /is missing or holds nothing/],
  ] as const;
  for (const [args, code, message] of cases) {
    const done = await runTollgate(["backup", ...args]);
    assert.equal(done.code, code, done.stderr);
    assert.match(done.stderr, message);
    assert.match(done.stderr, /^tollgate: [^\n]+\n$/);
    assert.equal(done.stdout, "");
  }
  assert.equal(await Deno.readTextFile(`${server.cwd}/mine`), "mine");
});

Deno.test("over TCP nobody makes the server write files", async () => {
  const env = { TOLLGATE_ADMIN_KEY: "an-admin-key-of-some-length" };
  await using server = await startTollgate({ env });
  const post = async (path: string) => {
    const response = await fetch(`${server.baseUrl}/admin/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${env.TOLLGATE_ADMIN_KEY}` },
    });
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await post("/ledger/verify"), 200);
  // What it has made may be listed there.
  assert.equal(await post("/backups"), 405);
});
