/**
 * `tollgate serve` as an operator meets it: the first run, later runs, signals,
 * and what it refuses.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runTollgate, startTollgate } from "../support/executable.ts";

const ESCAPE = String.fromCharCode(27);

Deno.test("the first run prints a call and a film that work when they are pasted", async () => {
  await using gateway = await startTollgate();
  await gateway.waitForOutput(/\n\n$/);
  const { stdout, key, dataDir } = gateway;
  assert.match(stdout, /^tollgate \d+\.\d+\.\d+ \(/);
  assert.ok(stdout.includes(`Base URL     ${gateway.baseUrl}/v1\n`));
  assert.ok(stdout.includes(`Data dir     ${dataDir}\n`));
  assert.ok(stdout.includes("Console      tollgate console prints a link\n"));
  assert.ok(!stdout.includes(ESCAPE));
  const [call, film, ...more] = stdout.match(/^curl .*(?:\n {2}.*)+/gm)!;
  assert.deepEqual(more, []);
  const { choices, provider, route, usage, pricing } = await paste(call!);
  assert.match(choices[0].message.content, /Hello!/);
  assert.equal(provider, "builtin");
  assert.equal(route, "builtin/echo-1");
  assert.ok(usage.total_tokens > 0);
  assert.equal(pricing.currency, "USD");
  const { object, status, model, id } = await paste(film!);
  assert.deepEqual([object, status, model], ["video", "queued", "video-2"]);
  const { code, stderr } = await gateway.stop();
  assert.equal(code, 0);
  assert.match(stderr, /^Stopping; 1 film goes on at the next start$/m, id);
  assert.match(stderr, /"event":"call".*"route":"builtin\/echo-1"/);
  assert.ok(!stderr.includes(key), "the key is not in the log");
});

Deno.test("a server on every interface says where its links lead, and its first lines can be pasted", async () => {
  const every = { listen: "0.0.0.0:0", expectKey: false };
  await using open = await startTollgate({ ...every });
  await open.waitForOutput(/Base URL +http:\/\/127\.0\.0\.1:\d+\/v1\n/);
  assert.match((await open.stop()).stderr, /^Warning: Links to films .*set --base-url to/m);
  for (const args of [["--base-url", "http://127.0.0.1:9"], ["--public-links", "false"]]) {
    await using quiet = await startTollgate({ ...every, args });
    await quiet.waitForOutput(/Data dir/);
    assert.doesNotMatch((await quiet.stop()).stderr, /Links to films/);
  }
});

Deno.test("the data dir and everything in it are the owner's alone", async () => {
  await using gateway = await startTollgate();
  assert.equal((await Deno.stat(gateway.dataDir)).mode! & 0o777, 0o700);
  for (const { name, isFile } of Deno.readDirSync(gateway.dataDir)) {
    const { mode } = Deno.lstatSync(`${gateway.dataDir}/${name}`);
    if (isFile) assert.equal(mode! & 0o077, 0, name);
  }
  await gateway.stop();
});

Deno.test("a later run makes no second key and says how to get one", async () => {
  await using first = await startTollgate();
  await first.stop();
  await using second = await startTollgate({ dataDir: first.dataDir, expectKey: false });
  await second.waitForOutput(/New key +tollgate keys create --project ID\n/);
  assert.match(second.stdout, /Models +3\n/);
  assert.doesNotMatch(second.stdout, /sk-tg-/);
  const models = await fetch(`${second.baseUrl}/v1/models`, {
    headers: { authorization: `Bearer ${first.key}` },
  });
  assert.equal(models.status, 200);
  await models.body?.cancel();
  await second.stop();
});

Deno.test("as a service the first key goes to a private file, not to the log", async () => {
  await using gateway = await startTollgate({
    env: { INVOCATION_ID: "0123456789abcdef" },
    expectKey: false,
  });
  await gateway.waitForOutput(/Project key +in .*\/first-key\n/);
  const path = `${gateway.dataDir}/first-key`;
  const key = (await Deno.readTextFile(path)).trim();
  assert.match(key, /^sk-tg-[A-Za-z0-9_-]{43}$/);
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  const { stdout, stderr } = await gateway.stop();
  assert.ok(!`${stdout}${stderr}`.includes(key));
});

Deno.test("a second server on the data dir exits 1 and names the first one's process id", async () => {
  await using gateway = await startTollgate();
  const args = ["serve", "--listen", "127.0.0.1:0", "--data-dir", gateway.dataDir];
  const { code, stdout, stderr } = await runTollgate(args);
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.match(stderr, new RegExp(`server with process id ${gateway.process.pid} has it`));
  await gateway.stop();
});

Deno.test("a taken address exits 1, names it and suggests --listen", async () => {
  await using gateway = await startTollgate();
  const address = gateway.baseUrl.replace("http://", "");
  const { code, stderr } = await runTollgate(["serve", "--listen", address, "--data-dir", "d"]);
  assert.equal(code, 1);
  assert.ok(stderr.includes(`Cannot listen on ${address}: another process does already`), stderr);
  assert.match(stderr, /--listen 127\.0\.0\.1:0 for any free port/);
  assert.doesNotMatch(stderr, /video_paused/, "nothing had begun");
  await gateway.stop();
});

Deno.test("an address that this machine does not have, or does not know, exits 1 and is named", async () => {
  for (const address of ["192.0.2.1:0", "a..b:0"]) {
    const { code, stderr } = await runTollgate(["serve", "--listen", address, "--data-dir", "d"]);
    assert.equal(code, 1);
    assert.equal(
      stderr,
      `tollgate: Cannot listen on ${address}: this machine has no such address. Choose another one with --listen\n`,
    );
  }
});

Deno.test("a stop as soon as the first lines are read is an orderly one", async () => {
  for (let start = 0; start < 3; start++) {
    await using server = await startTollgate();
    assert.equal((await server.stop()).code, 0);
    assert.deepEqual(
      [...Deno.readDirSync(server.dataDir)].map(({ name }) => name).sort(),
      ["files", "lock", "tollgate.db", "uploads", "videos"],
    );
  }
});

Deno.test("a second signal ends a drain at once", async () => {
  await using gateway = await startTollgate();
  const stalled = new AbortController();
  const catalogue = `${gateway.cwd}/stall.yaml`;
  await Deno.writeTextFile(
    catalogue,
    `providers: [{ id: builtin, kind: builtin }]
models:
  - id: stalls
    kind: chat
    routes: [{ id: builtin/stalls, provider: builtin, upstream_model: "echo-1:stall", free: true }]
`,
  );
  const applied = await runTollgate(["apply", catalogue, "--data-dir", gateway.dataDir]);
  assert.equal(applied.code, 0, applied.stderr);
  const call = fetch(`${gateway.baseUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "stalls", messages: [{ role: "user", content: "x" }] }),
    signal: stalled.signal,
  }).catch(() => undefined);
  await untilOpen(gateway.dataDir);
  gateway.process.kill("SIGTERM");
  await gateway.waitForOutput(/Stopping when 1 call under way/);
  const { code } = await gateway.stop("SIGTERM");
  assert.equal(code, 143);
  stalled.abort();
  await call;
  // The call that was cut off is released at the next start, and nothing is lost.
  await using again = await startTollgate({ dataDir: gateway.dataDir, expectKey: false });
  const verified = await runTollgate(["ledger", "verify", "--json", "--data-dir", again.dataDir]);
  assert.equal(verified.code, 0, verified.stdout);
  await again.stop("SIGINT");
});

/** Waits until the server has an open call, by asking it. */
async function untilOpen(dataDir: string): Promise<void> {
  for (;;) {
    const { stdout } = await runTollgate(["ledger", "verify", "--json", "--data-dir", dataDir]);
    if (JSON.parse(stdout).checked.open_calls === 1) return;
  }
}

Deno.test("SIGHUP reads the catalogue file again, and keeps the old one when it is wrong", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-catalog-" });
  const file = `${folder}/tollgate.yaml`;
  const text = (id: string) =>
    `providers: [{ id: builtin, kind: builtin }]
models:
  - id: ${id}
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, upstream_model: echo-1, free: true }]
projects: [{ id: team, unlimited: true }]
`;
  await Deno.writeTextFile(file, text("first"));
  await using gateway = await startTollgate({ args: ["--catalog", file] });
  const run = async (...args: string[]) => {
    const result = await runTollgate([...args, "--json", "--data-dir", gateway.dataDir]);
    return { ...result, json: result.stdout === "" ? undefined : JSON.parse(result.stdout) };
  };
  assert.doesNotMatch(gateway.stdout, /sk-tg-/);
  assert.deepEqual((await run("projects", "list")).json.map(({ id }: { id: string }) => id), [
    "team",
  ]);
  const refused = await run("projects", "create", "other");
  assert.equal(refused.code, 1);
  assert.ok(refused.stderr.includes(`${file} owns them`), refused.stderr);
  await Deno.writeTextFile(file, text("second"));
  gateway.process.kill("SIGHUP");
  await gateway.waitForOutput(/"event":"catalogue_applied".*"changes":[1-9]/);
  assert.equal((await run("models", "list")).json[0].id, "second");
  await Deno.writeTextFile(file, "models: [{ id: broken, kind: chatt }]\n");
  gateway.process.kill("SIGHUP");
  await gateway.waitForOutput(/"event":"catalogue_refused".*tollgate\.yaml:1:/);
  assert.equal((await run("models", "list")).json[0].id, "second");
  await gateway.stop();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a wrong catalogue file at start exits 2 with every fault", async () => {
  const cwd = await Deno.makeTempDir({ prefix: "tollgate-catalog-" });
  await Deno.writeTextFile(`${cwd}/bad.yaml`, "currency: 5\nmodels: [{ id: x, kind: chatt }]\n");
  const args = ["serve", "--listen", "127.0.0.1:0", "--data-dir", "d", "--catalog", "bad.yaml"];
  const { code, stderr } = await runTollgate(args, { cwd });
  assert.equal(code, 2, stderr);
  assert.match(stderr, /bad\.yaml:1:11: currency: /);
  assert.match(stderr, /bad\.yaml:2:\d+: models\[0\]\.kind: /);
  await Deno.remove(cwd, { recursive: true });
});

/** What a shell makes of a command, as JSON. */
// deno-lint-ignore no-explicit-any -- tests read the answers that they expect
async function paste(command: string): Promise<any> {
  const { success, stdout } = await new Deno.Command("bash", {
    args: ["-c", command],
    stderr: "null",
  }).output();
  assert.ok(success, command);
  return JSON.parse(new TextDecoder().decode(stdout));
}
