/**
 * Calls of closed months that two executables archive out of one database, and restore: one is killed in the middle,
 * the other goes on.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startOfMonth } from "../../src/admin/archives/closed_months.ts";
import { runTollgate } from "../support/executable.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../support/postgres_server.ts";
import { fillSealed, SEALED_CATALOGUE } from "../support/sealed_calls.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

const server = postgresOfFile();
const DATABASE = "archived";
const CALLS = 40_000;

Deno.test(
  "what a killed node was archiving, or restoring, another one goes on with, once",
  NEEDS_POSTGRES,
  async () => {
    await server.create(DATABASE);
    const env = { TOLLGATE_DATABASE_URL: server.url(DATABASE) };
    await using first = await serveGateway({ env });
    await first.apply(SEALED_CATALOGUE);
    const now = Date.now();
    await fillSealed(server.url(DATABASE), { calls: CALLS, firstAt: startOfMonth(now, -3) });
    const dataDir = await Deno.makeTempDir({ prefix: "tollgate-node-" });
    await using _dir = { [Symbol.asyncDispose]: () => Deno.remove(dataDir, { recursive: true }) };
    await using second = await serveGateway({ dataDir, env, expectKey: false });
    const before = new Date(startOfMonth(now, -2)).toISOString().slice(0, 10);
    const archive = ["calls", "archive", "--before", before] as const;

    const planned = await second.cli(...archive, "--dry-run");
    assert.equal(planned.calls, CALLS);
    const broken = first.cli(...archive).then(() => "done", () => "broken off");
    await until("rows to be copied", () => isAt(second, "copying"));
    // One at a time: another one is refused until the first has ended.
    await assert.rejects(
      second.cli(...archive, "--to", `${dataDir}/other.db`),
      /is under way already/,
    );
    await first.server.kill();
    assert.equal(await broken, "broken off");
    await until("its job to have ended", async () => !await isAt(second, "copying"));

    const archived = await second.cli(...archive);
    assert.equal(archived.calls, CALLS);
    await assertWhole(second, env);
    const [only, ...more] = (await second.admin("GET", "/calls/archives")).archives;
    assert.deepEqual([only.number, only.calls, only.is_in_place, more], [1, CALLS, true, []]);
    const checked = await second.cli("calls", "archive", "verify", archived.file);
    assert.deepEqual(checked.differences, []);
    assert.equal(checked.calls, CALLS, JSON.stringify(checked));
    const again = await second.cli(...archive);
    assert.equal(again.calls, 0);

    // What the first was writing is removed, though it writes no archive any more.
    const parts = () =>
      [...Deno.readDirSync(`${first.server.dataDir}/archives`)].filter(({ name }) =>
        name.includes(".part")
      );
    assert.equal(parts().length, 1);
    await using back = await serveGateway({
      dataDir: first.server.dataDir,
      env,
      expectKey: false,
    });
    await until("its leavings to be gone", () => parts().length === 0);
    const { archives } = await back.admin("GET", "/calls/archives");
    assert.deepEqual([archives.length, archives[0].file], [1, archived.file]);
    assert.deepEqual([archives[0].is_dropped, archives[0].trouble], [true, null]);
    assert.ok(archives[0].node.includes(dataDir), archives[0].node);

    // It comes back whole from any node that has the file, so that all of it may go into a file.
    const place = { env, cwd: dataDir };
    const intoFile = [
      "move",
      "--from",
      env.TOLLGATE_DATABASE_URL,
      "--data-dir",
      `${dataDir}/alone`,
    ];
    const restore = ["calls", "archive", "restore", "1"] as const;
    const restoring = second.cli(...restore).then(() => "done", () => "broken off");
    await until("rows to be put back", () => isAt(back, "restoring"));
    await second.server.kill();
    assert.equal(await restoring, "broken off");
    await until("its job to have ended", async () => !await isAt(back, "restoring"));
    const [half] = (await back.admin("GET", "/calls/archives")).archives;
    assert.match(half.trouble, /calls archive restore 1 goes on with it$/);
    const restored = await back.cli(...restore);
    assert.equal(restored.restored[0].calls, CALLS);
    assert.equal(Number(await server.ask(DATABASE, "SELECT count(*) FROM calls")), CALLS);
    assert.deepEqual((await back.admin("GET", "/calls/archives")).archives, []);
    await back.server.stop();
    const { code, stderr } = await runTollgate(intoFile, place);
    assert.equal(code, 0, stderr);
    const { stdout } = await runTollgate(
      ["ledger", "verify", "--data-dir", `${dataDir}/alone`, "--json"],
      { env: {} },
    );
    const books = JSON.parse(stdout);
    assert.deepEqual(books.differences, []);
    assert.equal(books.checked.calls, CALLS);
  },
);

/** Whether some node archives, and is at that step. */
async function isAt(node: ServedGateway, step: string): Promise<boolean> {
  const jobs = await node.cli("jobs", "list");
  return jobs.some((
    job: { readonly state: string; readonly progress: { readonly step: string } | null },
  ) => job.state === "running" && job.progress?.step === step);
}

/** The books add up, and the archived calls are gone from the database. */
async function assertWhole(node: ServedGateway, env: Record<string, string>): Promise<void> {
  const left = Number(await server.ask(DATABASE, "SELECT count(*) FROM calls"));
  assert.ok(left <= 20, `${left} calls are left`);
  const { stdout } = await runTollgate(
    ["ledger", "verify", "--data-dir", node.server.dataDir, "--json"],
    { env },
  );
  assert.deepEqual(JSON.parse(stdout).differences, []);
}
