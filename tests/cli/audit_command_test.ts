/**
 * `tollgate audit list`, on a data dir and through a server.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { AuditRowJson } from "../../src/admin/audit.ts";
import { startTestGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { runCommand, withDataDir } from "./run_in_process.ts";

async function run(dataDir: string, user: string | undefined, ...args: readonly string[]) {
  const result = await runCommand([...args, "--data-dir", dataDir], {
    env: { ...(user !== undefined && { USER: user }) },
  });
  assert.equal(result.code, 0, result.stderr);
  return result;
}

async function rowsOf(
  dataDir: string,
  ...args: readonly string[]
): Promise<readonly AuditRowJson[]> {
  return JSON.parse((await run(dataDir, undefined, "audit", "list", "--json", ...args)).stdout);
}

Deno.test("audit list shows who changed what in a data dir without a server", async () => {
  await withDataDir(async (dataDir) => {
    await run(dataDir, "alice", "projects", "create", "shop");
    await run(dataDir, "bob", "projects", "credit", "shop", "25", "--reference", "invoice-1");
    await run(dataDir, "bob", "projects", "credit", "shop", "25", "--reference", "invoice-1");
    await run(dataDir, undefined, "projects", "disable", "shop");
    const rows = await rowsOf(dataDir);
    assert.deepEqual(
      rows.map(({ number, channel, user, operation }) => [number, channel, user, operation]),
      [
        [3, "in_process", null, "projects.disable"],
        [2, "in_process", "bob", "projects.credit"],
        [1, "in_process", "alice", "projects.create"],
      ],
    );
    const { stdout } = await run(dataDir, "eve", "audit", "list");
    assert.match(stdout, /^NO +AT +BY +OPERATION +SUBJECT +CHANGE$/m);
    assert.match(
      stdout,
      /^ *2 +\S+Z +in_process bob +projects\.credit +project:shop +balance "0\.00000000" → "25\.00000000", credited "25\.00000000", reference "invoice-1"$/m,
    );
    assert.deepEqual((await rowsOf(dataDir, "--limit", "1")).map(({ number }) => number), [3]);
    assert.deepEqual((await rowsOf(dataDir, "--after", "2")).map(({ number }) => number), [1]);
    const credits = await rowsOf(dataDir, "--operation", "projects.credit", "--from", "1h");
    assert.deepEqual(credits.map(({ number }) => number), [2]);
    assert.deepEqual(await rowsOf(dataDir, "--subject", "nobody"), []);
    const none = await run(dataDir, undefined, "audit", "list", "--subject", "nobody");
    assert.deepEqual([none.stdout, none.stderr], ["", "No such changes\n"]);
    const verified = await run(dataDir, undefined, "ledger", "verify");
    assert.match(verified.stdout, /^No differences: .*, 3 audit rows$/m);
  });
});

Deno.test("a change through a server's socket is told with who made it and its request id", async () => {
  await using gateway = await startTestGateway();
  const { dataDir } = gateway;
  await run(dataDir, "Zoë 漢", "projects", "create", "shop");
  await run(dataDir, undefined, "projects", "disable", "shop");
  const [disabled, created, first] = await rowsOf(dataDir);
  assert.deepEqual([created!.channel, created!.user], ["control_socket", "Zoë 漢"]);
  assert.match(created!.request_id ?? "", /^req_/);
  await until("the log to have the request", () => gateway.log().includes(created!.request_id!));
  assert.deepEqual([disabled!.channel, disabled!.user], ["control_socket", null]);
  assert.deepEqual([first!.channel, first!.operation], ["first_run", "first_run"]);
});
