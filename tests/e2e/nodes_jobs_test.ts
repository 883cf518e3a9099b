/**
 * A job of one of two executables over one database, asked for at the other one.
 *
 * @module
 */

import assert from "node:assert/strict";
import { NEEDS_POSTGRES, postgresOfFile } from "../support/postgres_server.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

const server = postgresOfFile();

Deno.test("a job of one node is listed and shown at another one", NEEDS_POSTGRES, async () => {
  await server.create("jobs");
  const env = { TOLLGATE_DATABASE_URL: server.url("jobs") };
  await using first = await serveGateway({ env });
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-node-" });
  await using _dir = { [Symbol.asyncDispose]: () => Deno.remove(dataDir, { recursive: true }) };
  await using second = await serveGateway({ dataDir, env, expectKey: false });
  await first.cli("ledger", "verify");
  const jobs = await second.cli("jobs", "list");
  assert.equal(jobs.length, 1);
  const [{ id, operation, state, node }] = jobs;
  assert.deepEqual([operation, state], ["ledger.verify", "completed"]);
  const nodes = await second.cli("nodes", "list");
  assert.ok(nodes.some(({ name }: { readonly name: string }) => name === node), node);
  const shown = await second.cli("jobs", "show", id);
  assert.ok(shown.result.checked);
  await second.server.stop();
});

Deno.test(
  "a job is cancelled through another node, and interrupted with the one that ran it",
  NEEDS_POSTGRES,
  async () => {
    const database = "cancelled_jobs";
    await server.create(database);
    const env = { TOLLGATE_DATABASE_URL: server.url(database) };
    await using first = await serveGateway({ env });
    const dataDir = await Deno.makeTempDir({ prefix: "tollgate-node-" });
    await using _dir = { [Symbol.asyncDispose]: () => Deno.remove(dataDir, { recursive: true }) };
    await using second = await serveGateway({ dataDir, env, expectKey: false });
    /** Has `first` verify the ledger, which takes until `goOn`. */
    const begin = async () => {
      const held = await holdTable(database, "ledger_seals");
      const asked = first.cli("ledger", "verify").then(() => "done", () => "not done");
      const [job] = await until("a job", async () => {
        const jobs = await second.cli("jobs", "list");
        return jobs[0]?.state === "running" && jobs;
      });
      return { id: job.id as string, asked, goOn: held };
    };
    const stateOf = async (node: ServedGateway, id: string) =>
      (await node.cli("jobs", "show", id)).state;

    const cancelled = await begin();
    assert.equal((await second.cli("jobs", "cancel", cancelled.id)).state, "cancelling");
    assert.match(await stateOf(first, cancelled.id), /^cancell(ing|ed)$/);
    await untilHeard(database);
    await cancelled.goOn();
    await until("its end", async () => await stateOf(second, cancelled.id) === "cancelled");
    assert.equal(await cancelled.asked, "not done");

    const interrupted = await begin();
    await first.server.kill();
    await until(
      "it to be known",
      async () => await stateOf(second, interrupted.id) === "interrupted",
    );
    await interrupted.goOn();
    assert.equal(await interrupted.asked, "not done");
    await second.cli("ledger", "verify");
    const states = (await second.cli("jobs", "list")).map(({ state }: { state: string }) => state);
    assert.deepEqual(states, ["completed", "interrupted", "cancelled"]);
  },
);

/** Has whoever reads a table wait until the answer is called. */
async function holdTable(database: string, table: string): Promise<() => Promise<void>> {
  const backends = `FROM pg_stat_activity WHERE datname = '${database}' AND wait_event = 'PgSleep'`;
  const locker = server.ask(database, `BEGIN; LOCK TABLE ${table}; SELECT pg_sleep(600)`)
    .catch(() => "it was ended");
  await until(
    "the lock",
    async () => await server.ask(database, `SELECT count(*) ${backends}`) === "1",
  );
  return async () => {
    await server.ask(database, `SELECT pg_terminate_backend(pid) ${backends}`);
    await locker;
  };
}

/** Waits until whoever runs a job has looked whether it is still wanted, after this was called. */
async function untilHeard(database: string): Promise<void> {
  const now = await server.ask(database, "SELECT clock_timestamp()");
  const sql = `SELECT count(*) FROM pg_stat_activity WHERE datname = '${database}'
    AND query LIKE 'SELECT CASE WHEN admin_jobs.state%' AND state = 'idle' AND query_start > '${now}'`;
  await until("a look", async () => await server.ask(database, sql) !== "0");
}
