/**
 * Commands on a data dir: in this process when no server has it, through the
 * server when one does.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startTestGateway } from "../support/gateway.ts";
import { type CommandRun, runCommand, withDataDir } from "./run_in_process.ts";

const FILE = `
providers:
  - { id: acme, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", api_key: "env:ACME_KEY" }
models:
  - id: small
    kind: chat
    routes:
      - { id: acme/small, provider: acme, cost: { input: "1", output: "2" }, sale: { markup: "1.5" } }
      - { id: acme/slow, provider: acme, free: true, enabled: false }
projects:
  - { id: shop }
`;

/** Lists of the two routes and more than one project. */
async function listInPages(run: (...args: string[]) => Promise<CommandRun>): Promise<void> {
  const list = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, "--json");
    assert.equal(code, 0, stderr);
    return { ids: JSON.parse(stdout).map(({ id }: { id: string }) => id), stderr };
  };
  const routes = (...args: string[]) => list("routes", "list", "--model", "small", ...args);
  const whole = await routes();
  assert.deepEqual(whole.ids, ["acme/small", "acme/slow"]);
  assert.doesNotMatch(whole.stderr, /--after/);
  const first = await routes("--limit", "1");
  assert.deepEqual(first.ids, ["acme/small"]);
  assert.match(first.stderr, /^There are more: --after acme\/small, or a larger --limit$/m);
  assert.deepEqual((await routes("--after", "acme/small")).ids, ["acme/slow"]);
  assert.deepEqual((await routes("--limit", "5000")).ids, whole.ids);
  const projects = await list("projects", "list");
  assert.ok(projects.ids.includes("shop"));
  const rest = await list("projects", "list", "--after", projects.ids[0]);
  assert.deepEqual(rest.ids, projects.ids.slice(1));
  const gone = await run("keys", "list", "--after", "key_none");
  assert.equal(gone.code, 2);
  assert.match(gone.stderr, /There is no key 'key_none' to go on behind/);
}

/** The catalogue, a piece at a time, and back as it was. */
async function changePieces(run: (...args: string[]) => Promise<CommandRun>): Promise<void> {
  const spare = ["spare", "--kind", "openai_compatible", "--base-url", "http://127.0.0.1:9/v1"];
  const dry = await run("providers", "set", ...spare, "--dry-run");
  assert.deepEqual([dry.code, dry.stdout], [0, "+ provider spare\n"], dry.stderr);
  assert.match(dry.stderr, /^Would apply: 1 change$/m);
  const keys = ["--api-key", "env:SPARE_ONE", "--api-key", "env:SPARE_TWO", "--official"];
  assert.equal((await run("providers", "set", ...spare, ...keys)).code, 0);
  const shown = JSON.parse((await run("providers", "show", "spare", "--json")).stdout);
  assert.deepEqual(shown.settings.api_key, ["env:SPARE_ONE", "env:SPARE_TWO"]);
  assert.deepEqual([shown.official, shown.routes], [true, 0]);

  const file = await Deno.makeTempFile({ suffix: ".yaml" });
  await Deno.writeTextFile(file, "provider: spare\nfree: true\nset: { temperature: 1 }\n");
  const added = await run("routes", "set", "spare/small", "--model", "small", "--from", file);
  assert.deepEqual([added.code, added.stdout], [0, "+ route spare/small\n"], added.stderr);
  await Deno.remove(file);
  const weigh = ["routes", "set", "spare/small", "--weight", "2.5", "--no-supports-tools"];
  const changed = await run(...weigh, "--if-version", shown.version);
  assert.equal(changed.code, 1);
  assert.match(
    changed.stderr,
    /^tollgate: Nothing was changed\. The route 'spare\/small' has changed/,
  );
  assert.equal((await run(...weigh, "--limits-concurrent", "5")).code, 0);
  assert.equal((await run("routes", "set", "spare/small", "--limits-concurrent", "none")).code, 0);
  const route = await run("routes", "show", "spare/small");
  assert.match(route.stdout, /^settings\.weight +2\.5$/m);
  assert.match(route.stdout, /^settings\.set\.temperature +1$/m);
  assert.doesNotMatch(route.stdout, /settings\.limits/);
  assert.equal((await run("routes", "set", "spare/small")).code, 2);
  await takeAway(run);
  const wrong = await run("routes", "set", "spare/small", "--weight", "0");
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /^route spare\/small: weight: /m);

  assert.equal((await run("providers", "delete", "spare")).code, 1);
  assert.equal((await run("routes", "delete", "spare/small")).stdout, "- route spare/small\n");
  assert.equal((await run("models", "set", "made", "--kind", "chat")).code, 0);
  assert.equal(JSON.parse((await run("models", "show", "made", "--json")).stdout).routes, 0);
  assert.equal((await run("models", "delete", "made")).code, 0);
  assert.equal((await run("providers", "delete", "spare")).stdout, "- provider spare\n");
}

/** Options beside a file, and the words that take a setting away. */
async function takeAway(run: (...args: string[]) => Promise<CommandRun>): Promise<void> {
  const set = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const timeouts = await Deno.makeTempFile({ suffix: ".yaml" });
  await Deno.writeTextFile(timeouts, "timeouts: { connect_ms: 1234, idle_ms: 2345 }\n");
  const both = ["--from", timeouts, "--timeouts-idle-ms", "99", "--dry-run"];
  assert.equal(
    await set("providers", "set", "spare", ...both),
    "~ provider spare: timeouts.connect_ms 5000 → 1234, timeouts.idle_ms 60000 → 99\n",
  );
  await Deno.remove(timeouts);
  await set("routes", "set", "spare/small", "--risk-level", "high");
  const risk = await set("routes", "set", "spare/small", "--risk-level", "none");
  assert.equal(risk, "~ route spare/small: risk_level high → low\n");
  const unknown = await run("routes", "set", "spare/small", "--risk-level", "some");
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /Allowed choices are low, medium, high, none/);
  // That no key is sent is something else than that nothing is said of it.
  const auth = ["providers", "set", "spare", "--auth"];
  const refused = await run(...auth, "none");
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /auth: none sends no key, but api_key is given/);
  const header = await set(...auth, "header: x-key");
  assert.match(header, /^~ provider spare: auth/);
  assert.match(await set(...auth, "default"), /^~ provider spare: auth.* → bearer/);
}

/** Everything an operator does with projects, keys and routes, whoever runs the operations. */
async function administer(run: (...args: string[]) => Promise<CommandRun>): Promise<void> {
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, "--json");
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const file = await Deno.makeTempFile({ suffix: ".yaml" });
  await Deno.writeTextFile(file, FILE);
  const dry = await run("apply", file, "--dry-run");
  assert.match(dry.stdout, /^\+ route acme\/small$/m);
  assert.match(dry.stderr, /Would apply: \d+ changes/);
  assert.equal((await json("apply", file)).applied, true);
  assert.match((await run("apply", file)).stderr, /Nothing to change/);
  await Deno.remove(file);

  await changePieces(run);

  const credit = ["projects", "credit", "shop", "2.5", "--reference", "r1"];
  assert.equal((await json(...credit)).balance, "2.50000000");
  assert.equal((await json(...credit)).repeated, true);
  const refused = await run("projects", "credit", "shop", "3", "--reference", "r1");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^tollgate: Cannot credit with reference 'r1'/);
  assert.equal(refused.stdout, "");
  await json("projects", "set", "shop", "--concurrent", "4", "--tokens-per-minute", "9");
  const set = await json("projects", "set", "shop", "--concurrent", "none");
  assert.deepEqual(set.limits, { tokens_per_minute: 9 });
  const quotas = ["--kept-bytes", "1GiB", "--video-bytes", "5MB"];
  const given = await json("projects", "set", "shop", ...quotas);
  assert.deepEqual(given.quotas, { kept_bytes: 1024 ** 3, video_bytes: 5_000_000 });
  assert.equal(given.kept.most_bytes, 1024 ** 3);
  const table = (await run("projects", "list")).stdout;
  assert.match(table, /KEPT +FILM QUOTA$/m);
  assert.match(table, /^shop .* 0 B of 1 GiB +5 MB$/m);
  const shown = await run("projects", "set", "shop", "--video-bytes", "none");
  assert.match(shown.stdout, /^quotas +1 GiB of answers$/m);
  const bad = await run("projects", "set", "shop", "--kept-bytes", "much");
  assert.equal(bad.code, 2);
  assert.match(bad.stderr, /bytes such as 10485760, 10MB or 1\.5GiB/);
  const made = await json("projects", "create", "small", ...quotas);
  assert.deepEqual(made.quotas, given.quotas);
  const [row] = (await json("projects", "list")).filter(({ id }: { id: string }) => id === "shop");
  assert.equal(row.balance, "2.50000000");
  assert.equal(row.held, "0.00000000");
  assert.equal(row.unlimited, false);

  const key = await json("keys", "create", "--project", "shop", "--name", "web", "--expires", "1d");
  assert.match(key.key, /^sk-tg-/);
  await listInPages(run);
  const keys = await run("keys", "list");
  assert.match(keys.stdout, new RegExp(`^${key.id} +shop +${key.prefix}…  web +enabled`, "m"));
  assert.ok(!keys.stdout.includes(key.key));
  assert.equal((await json("keys", "disable", key.id)).disabled, true);
  assert.equal((await json("keys", "enable", key.prefix, "--yes")).disabled, false);
  assert.equal((await json("keys", "delete", key.id)).deleted, true);
  assert.equal((await run("keys", "delete", key.id)).code, 1);

  const explained = await json("routes", "explain", "small", "--project", "shop");
  assert.deepEqual(
    explained.candidates.map(({ route }: { route: string }) => route),
    ["acme/small"],
  );
  assert.deepEqual(
    explained.rejected.map(({ route, reason }: { route: string; reason: string }) => [
      route,
      reason,
    ]),
    [["acme/slow", "disabled"]],
  );
  assert.equal((await json("routes", "enable", "acme/slow")).status, "ready");
  assert.equal((await json("routes", "maintenance", "acme/slow")).status, "maintenance");
  assert.equal((await json("routes", "maintenance", "acme/slow", "--off")).status, "ready");
  const risky = await run("routes", "explain", "small", "--exclude-risk-level", "low");
  assert.match(risky.stdout, /^No route serves this request/);
  assert.match(risky.stdout, /acme\/small +acme +risk_level_excluded/);

  assert.deepEqual(await json("usage", "report", "--project", "shop"), []);
  assert.match((await run("models", "list")).stdout, /^small +chat +2\/2/m);
  assert.match((await run("providers", "list")).stdout, /env:ACME_KEY/);
  const tested = await run("providers", "test", "acme");
  assert.equal(tested.code, 1);
  assert.match(tested.stdout, /^acme +failed/m);
  assert.deepEqual((await json("ledger", "verify")).differences, []);
  assert.equal((await run("calls", "show", "req_aaaaaaaaaaaa1")).code, 1);
  assert.match((await run("routes", "explain", "smal")).stderr, /did you mean 'small'\?/);
}

Deno.test("commands work in process when no server runs", async () => {
  await withDataDir(async (dataDir) => {
    await administer((...args) => runCommand([...args, "--data-dir", dataDir]));
    const files = [...Deno.readDirSync(dataDir)].map(({ name }) => name).sort();
    assert.deepEqual(files.filter((name) => !name.startsWith("tollgate.db")), ["lock"]);
    assert.equal((await Deno.stat(dataDir)).mode! & 0o777, 0o700);
  });
});

Deno.test("commands work through the server that has the data dir", async () => {
  await using gateway = await startTestGateway({ secrets: { ACME_KEY: "sk-acme" } });
  await administer((...args) => runCommand([...args, "--data-dir", gateway.dataDir]));
  // What they changed is live in the server.
  assert.equal(gateway.admin.directory.project("shop")?.limits.tokensPerMinute, 9);
  assert.equal(gateway.admin.catalogue.current.route("acme/slow")?.enabled, true);
});

Deno.test("a key made while the server runs works at once, and a disabled one no more", async () => {
  await using gateway = await startTestGateway();
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand([
      ...args,
      "--json",
      "--data-dir",
      gateway.dataDir,
    ]);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const { key, id } = await run("keys", "create", "--project", "default");
  const body = { model: "echo-1", messages: [{ role: "user", content: "Hi" }] };
  const answer = await gateway.chat(body, { key });
  assert.equal(answer.status, 200);
  await answer.body?.cancel();
  const call = await run("calls", "show", answer.headers.get("x-request-id")!);
  assert.equal(call.state, "settled");
  assert.equal(call.model, "echo-1");
  assert.equal((await run("usage", "report", "--by", "model"))[0].calls, 1);
  await run("keys", "disable", id);
  const refused = await gateway.chat(body, { key });
  assert.equal(refused.status, 401);
  await refused.body?.cancel();
});

Deno.test("without --data-dir a command says which server it met", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-cli-" });
  const dataDir = `${folder}/tollgate_data`;
  await Deno.mkdir(dataDir);
  const gateway = await startTestGateway({ dataDir });
  const run = await runCommand(["projects", "list", "--json"], { cwd: folder });
  assert.equal(run.code, 0);
  assert.equal(JSON.parse(run.stdout)[0].id, "default");
  assert.equal(
    run.stderr,
    `Through the server with process id ${Deno.pid}, data dir ${dataDir}\n`,
  );
  await gateway.stop();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a lock file left by a killed server does not mislead a command", async () => {
  await withDataDir(async (dataDir) => {
    await Deno.mkdir(dataDir);
    const owner = { pid: 999_999, socket: `${dataDir}/control.sock`, kind: "server" };
    await Deno.writeTextFile(`${dataDir}/lock`, JSON.stringify(owner));
    const run = await runCommand(["projects", "create", "a", "--json", "--data-dir", dataDir]);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(JSON.parse(run.stdout).id, "a");
  });
});

Deno.test("a command that only reads makes no data dir", async () => {
  await withDataDir(async (dataDir) => {
    const run = await runCommand(["projects", "list", "--data-dir", dataDir]);
    assert.equal(run.code, 1);
    assert.match(run.stderr, /There is no data dir .*--data-dir, or start `tollgate serve`/);
    await assert.rejects(Deno.stat(dataDir), Deno.errors.NotFound);
  });
});

Deno.test("a command that only reads makes no database in a folder that has none", async () => {
  await withDataDir(async (folder) => {
    await Deno.mkdir(folder);
    for (const words of ["ledger verify", "backup create", "usage report", "keys disable key_a"]) {
      const run = await runCommand([...words.split(" "), "--data-dir", folder]);
      assert.equal(run.code, 1, words);
      assert.equal(run.stdout, "");
      assert.match(run.stderr, /There is no database in .*\/data and no running server: name the/);
      assert.deepEqual([...Deno.readDirSync(folder)], [], words);
    }
    const made = await runCommand(["projects", "create", "a", "--data-dir", folder]);
    assert.equal(made.code, 0);
    assert.match(made.stderr, /No server runs on the data dir .*: it is new/);
  });
});

Deno.test("a wrong catalogue file: exit 2, every fault with its place, nothing changed", async () => {
  await withDataDir(async (dataDir) => {
    const file = `${dataDir}.yaml`;
    await Deno.writeTextFile(
      file,
      "models:\n  - { id: a, kind: chatt }\n  - { id: b, kid: chat }\n",
    );
    const run = await runCommand(["apply", file, "--data-dir", dataDir]);
    assert.equal(run.code, 2);
    assert.match(run.stderr, /:2:\d+: models\[0\]\.kind: /);
    assert.match(run.stderr, /:3:\d+: models\[1\]\.kid: Unknown key/);
    assert.equal(run.stdout, "");
  });
});

Deno.test("TOLLGATE_CATALOG makes its file the owner for commands too", async () => {
  await withDataDir(async (dataDir) => {
    const env = { TOLLGATE_CATALOG: "/etc/tollgate.yaml", TOLLGATE_LISTEN: "not read here" };
    const run = await runCommand(["projects", "create", "a", "--data-dir", dataDir], { env });
    assert.equal(run.code, 1);
    assert.match(run.stderr, /\/etc\/tollgate\.yaml owns them/);
  });
});

Deno.test("tables have colours on a terminal only", async () => {
  await withDataDir(async (dataDir) => {
    const list = ["projects", "list", "--data-dir", dataDir];
    await runCommand(["projects", "create", "a", "--data-dir", dataDir]);
    const escape = String.fromCharCode(27);
    assert.ok((await runCommand(list, { outColors: true })).stdout.startsWith(`${escape}[1mID`));
    assert.ok(!(await runCommand(list)).stdout.includes(escape));
  });
});
