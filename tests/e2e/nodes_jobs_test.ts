/**
 * A job of one of two executables over one database, asked for at the other one.
 *
 * @module
 */

import assert from "node:assert/strict";
import { NEEDS_POSTGRES, postgresOfFile } from "../support/postgres_server.ts";
import { serveGateway } from "../support/served_gateway.ts";

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
