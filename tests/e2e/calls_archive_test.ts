/**
 * Archives of the executable's calls: written while it is called, broken off by kill -9,
 * verified with and without the database.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { applyCatalogueText } from "../../src/admin/catalogue/apply_catalogue.ts";
import { startOfMonth } from "../../src/admin/archives/closed_months.ts";
import { liveThroughMonths } from "../admin/months_of_calls.ts";
import { CATALOGUE, openTestAdmin } from "../admin/test_admin.ts";
import { type FinishedTollgate, runTollgate } from "../support/executable.ts";
import { assertBooksAddUp } from "../support/paying_gateway.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

const PRICE = `cost: { input: "1", output: "2" }, sale: { input: "2", output: "4" }`;
const WITH_ECHO = CATALOGUE
  .replace("providers:", "providers:\n  - { id: builtin, kind: builtin }")
  .replace(
    "models:",
    `models:
  - id: echo-1
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, upstream_model: echo-1, ${PRICE} }]`,
  );
/** Months with calls, all of them closed. */
const MONTHS = 4;

/** A data dir with a past of closed months. */
interface OldDataDir extends AsyncDisposable {
  readonly folder: string;
  readonly dataDir: string;
  /** The first of a month, `0` the one after the first with calls, as `--before` takes it. */
  before(month: number): string;
}

async function makeOldDataDir(seed: number, most: number): Promise<OldDataDir> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-calls-archive-" });
  const dataDir = `${folder}/data`;
  await Deno.mkdir(dataDir, { mode: 0o700 });
  const first = startOfMonth(Date.now(), -MONTHS - 2);
  await using admin = await openTestAdmin({ path: `${dataDir}/tollgate.db` });
  admin.clock.setWall(first);
  await applyCatalogueText(admin.deps, {
    file: "old.yaml",
    text: WITH_ECHO,
    dry_run: false,
    prune: true,
  });
  await liveThroughMonths(admin, new SeededRandom(seed), { months: MONTHS, most });
  return {
    folder,
    dataDir,
    before: (month) => new Date(startOfMonth(first, month + 1)).toISOString().slice(0, 10),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** Calls that go on until they are ended, two at a time; none may fail. */
function keepCalling(gateway: ServedGateway, key: string) {
  const answered: string[] = [];
  let isOver = false;
  const body = { model: "echo-1", messages: [{ role: "user", content: "meanwhile" }] };
  const callers = Array.from({ length: 2 }, async () => {
    while (!isOver) {
      const response = await gateway.chat(key, body);
      assert.equal(response.status, 200, await response.text());
      answered.push(response.headers.get("x-request-id")!);
    }
  });
  const ended = Promise.all(callers);
  // A server that is killed ends them before anybody waits for it.
  ended.catch(() => {});
  return {
    answered,
    /** Lets the calls under way end. */
    async end(): Promise<void> {
      isOver = true;
      await ended;
    },
    /** The same, of a server that is gone: its calls have broken off. */
    async endBroken(): Promise<void> {
      isOver = true;
      await ended.catch((error) => assert.ok(error instanceof TypeError, String(error)));
    },
  };
}

/** Request ids by file, read by nothing of the gateway's own. */
function requestIdsIn(file: string): string[] {
  using database = new DatabaseSync(file, { readOnly: true });
  return database.prepare("SELECT request_id FROM calls ORDER BY call_id").all()
    .map(({ request_id }) => request_id as string);
}

/** `ledger verify` again and again until it is ended, and at least once. */
function keepVerifying(gateway: ServedGateway) {
  let isOver = false;
  const ended = (async () => {
    do await assertBooksAddUp(gateway); while (!isOver);
  })();
  return async () => {
    isOver = true;
    await ended;
  };
}

Deno.test("calls go on while months of them are archived, and the books add up at every moment", async () => {
  await using old = await makeOldDataDir(21, 80);
  const { dataDir, folder } = old;
  const all = requestIdsIn(`${dataDir}/tollgate.db`);
  const places = `${folder}/archives`;
  await Deno.mkdir(places);
  await using gateway = await serveGateway({ dataDir });
  const { cli } = gateway;
  const key = await gateway.key("free");
  const by = ["--by", "day,project", "--to", old.before(MONTHS - 1)];
  const usage = await cli("usage", "report", ...by);
  const calls = keepCalling(gateway, key);
  const endVerifying = keepVerifying(gateway);
  const files: string[] = [];
  for (const month of [0, 1, MONTHS - 1]) {
    const outlook = await cli("calls", "archive", "--before", old.before(month), "--dry-run");
    const answer = await cli(
      "calls",
      "archive",
      "--before",
      old.before(month),
      "--to",
      places,
    );
    assert.deepEqual([answer.calls, answer.ledger_rows], [outlook.calls, outlook.ledger_rows]);
    if (answer.file !== null) files.push(answer.file);
    await assertBooksAddUp(gateway);
  }
  await endVerifying();
  await calls.end();
  assert.ok(calls.answered.length > 0);
  await assertBooksAddUp(gateway);
  assert.deepEqual((await cli("usage", "report", ...by)).data, usage.data);
  for (const id of [all[0]!, calls.answered[0]!]) {
    assert.equal((await cli("calls", "show", id)).request_id, id);
  }
  // On the wire an archived call, one of another project and one that never was are the same.
  const askFor = async (id: string) => {
    const response = await fetch(`${gateway.url}/v1/calls/${id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return { status: response.status, ...await response.json() };
  };
  const archived = await askFor(all[0]!);
  assert.deepEqual([archived.status, archived.error.code], [404, "not_found"]);
  assert.ok(
    archived.error.message.includes(
      `Calls that ended before ${old.before(MONTHS - 1)} are archived: whoever runs`,
    ),
    archived.error.message,
  );
  assert.deepEqual(await askFor("req_never"), archived);
  await gateway.server.stop();
  assert.deepEqual(files.flatMap(requestIdsIn), all);
  assert.deepEqual(requestIdsIn(`${dataDir}/tollgate.db`).sort(), calls.answered.toSorted());
});

Deno.test("calls archive verify takes its options, with a server and without", async () => {
  await using old = await makeOldDataDir(22, 30);
  const { dataDir, folder } = old;
  const file = `${folder}/old-calls.db`;
  const verify = (...args: string[]) => runTollgate(["calls", "archive", "verify", ...args]);
  const json = ({ code, stdout, stderr }: FinishedTollgate, expected = 0) => {
    assert.equal(code, expected, stderr);
    return JSON.parse(stdout);
  };
  {
    await using gateway = await serveGateway({ dataDir });
    const answer = await gateway.cli("calls", "archive", "--before", old.before(1), "--to", file);
    const proof = await gateway.cli("calls", "archive", "verify", file);
    assert.deepEqual([proof.belongs, proof.differences], [true, []]);
    assert.deepEqual([proof.number, proof.sha256], [answer.number, answer.sha256]);
  }
  // In this process, as no server runs; options before the file and behind it.
  assert.equal(json(await verify("--data-dir", dataDir, "--json", file)).belongs, true);
  assert.equal(json(await verify(file, "--json", "--data-dir", dataDir)).belongs, true);
  const table = await verify(file, "--data-dir", dataDir);
  assert.equal(table.code, 0, table.stderr);
  assert.ok(table.stdout.includes(`the ledger in ${dataDir} goes on from it`), table.stdout);
  assert.throws(() => JSON.parse(table.stdout), SyntaxError);
  // On a machine that has no data dir: nothing is made, nothing is asked.
  const alone = await runTollgate(["calls", "archive", "verify", "--alone", "--json", file], {
    cwd: folder,
  });
  assert.deepEqual([json(alone).belongs, json(alone).differences], [null, []]);
  assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [
    "data",
    "old-calls.db",
  ]);
  // Another database does not know it.
  {
    await using other = await serveGateway();
    const proof = json(await verify(file, "--json", "--data-dir", other.server.dataDir), 1);
    assert.equal(proof.belongs, false);
    assert.deepEqual(proof.differences, []);
  }
  // What only `archive` has is not silently taken.
  for (const option of ["--dry-run", "--to=elsewhere.db", "--before=2026-01-01"]) {
    const { code, stdout, stderr } = await verify(file, "--alone", option);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.ok(stderr.includes(`verify has no option ${option.split("=")[0]}`), stderr);
  }
});

Deno.test("after kill -9 in the middle of archiving everything adds up, and it goes on", async () => {
  await using old = await makeOldDataDir(23, 150);
  const { dataDir, folder } = old;
  const all = requestIdsIn(`${dataDir}/tollgate.db`);
  const file = `${folder}/old-calls.db`;
  const command = ["calls", "archive", "--before", old.before(MONTHS - 1), "--to", file];
  const names = () => [...Deno.readDirSync(folder)].map(({ name }) => name);
  const answered: string[] = [];
  const database = `${dataDir}/tollgate.db`;
  /** Seen from outside: when the server is killed. */
  const moments: readonly [string, () => boolean][] = [
    ["it writes", () => names().some((name) => name.endsWith(".part"))],
    ["it is written", () => names().includes("old-calls.db")],
    ["it drops", () => requestIdsIn(database)[0] !== all[0]],
  ];
  for (const [what, isMoment] of moments) {
    const gateway = await serveGateway({ dataDir });
    await using _ = gateway;
    const calls = keepCalling(gateway, await gateway.key("free"));
    await until("a call is answered", () => calls.answered.length > 0);
    const archiving = runTollgate([...command, "--data-dir", dataDir]);
    await until(what, isMoment, { everyMs: 1 });
    assert.equal((await gateway.server.kill()).signal, "SIGKILL");
    await Promise.all([archiving, calls.endBroken()]);
    answered.push(...calls.answered);
    // Nobody has the data dir: this is what the kill has left.
    await assertBooksAddUp(gateway);
    assert.equal(new Set(requestIdsIn(database)).size, requestIdsIn(database).length);
    const known = new Set([
      ...requestIdsIn(database),
      ...(names().includes("old-calls.db") ? requestIdsIn(file) : []),
    ]);
    assert.deepEqual([...all, ...answered].filter((id) => !known.has(id)), [], what);
  }
  await using gateway = await serveGateway({ dataDir });
  // The server goes on by itself; whoever asks meanwhile is told so, and may ask again.
  await until("it is archived", async () => {
    const { code, stderr } = await runTollgate([...command, "--data-dir", dataDir]);
    if (code !== 0) assert.match(stderr, /under way already/);
    return code === 0;
  });
  // Asked for once more there is nothing to do, and that is no failure.
  const idle = await runTollgate([...command, "--data-dir", dataDir]);
  assert.equal(idle.code, 0, idle.stderr);
  assert.match(idle.stderr, /^There is nothing to archive before \d{4}-\d\d-01$/m);
  assert.doesNotMatch(idle.stderr, /Keep /);
  await assertBooksAddUp(gateway);
  const proof = await gateway.cli("calls", "archive", "verify", file);
  assert.deepEqual([proof.number, proof.belongs, proof.differences], [1, true, []]);
  assert.deepEqual(requestIdsIn(file), all);
  const live = new Set(requestIdsIn(database));
  assert.deepEqual(all.filter((id) => live.has(id)), []);
  assert.deepEqual(answered.filter((id) => !live.has(id)), []);
  assert.deepEqual(names().filter((name) => name.includes(".part")), []);
});
