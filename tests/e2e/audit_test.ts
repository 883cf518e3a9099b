/**
 * The audit log as an operator meets it: every way in which a change comes, kept
 * over a crash, without a secret anywhere.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { AuditRowJson } from "../../src/admin/audit.ts";
import { runTollgate, startTollgate } from "../support/executable.ts";
import { until } from "../support/until.ts";

const ADMIN_KEY = "an-admin-key-for-tests";
const CATALOGUE = (output: string) => `
providers: [{ id: builtin, kind: builtin }]
models:
  - id: echo-1
    kind: chat
    routes:
      - id: builtin/echo-1
        provider: builtin
        sale: { input: "1.00", output: "${output}" }
projects: [{ id: shop }]
`;

async function tollgate(dataDir: string, env: Record<string, string>, ...args: string[]) {
  const done = await runTollgate([...args, "--data-dir", dataDir, "--json"], { env });
  assert.equal(done.code, 0, `${args.join(" ")}: ${done.stderr}`);
  return JSON.parse(done.stdout);
}

function list(dataDir: string, ...args: string[]): Promise<readonly AuditRowJson[]> {
  return tollgate(dataDir, {}, "audit", "list", ...args);
}

const brief = ({ channel, user, address, operation, subject }: AuditRowJson) =>
  [channel, user, address, operation, subject] as const;

Deno.test("the audit log tells every change, whichever way it came, also after a crash", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-audit-" });
  const dataDir = `${folder}/data`;
  const catalogue = `${folder}/tollgate.yaml`;
  await Deno.writeTextFile(catalogue, CATALOGUE("2.00"));
  const uid = `(uid ${Deno.uid()})`;
  try {
    const credit = ["projects", "credit", "shop", "5", "--reference", "r1"];
    await using server = await startTollgate({
      dataDir,
      args: ["--catalog", catalogue],
      env: { TOLLGATE_ADMIN_KEY: ADMIN_KEY },
    });
    await tollgate(dataDir, { USER: "alice" }, ...credit);
    await tollgate(dataDir, { USER: "alice" }, ...credit);
    const { key } = await tollgate(dataDir, { USER: "bob" }, "keys", "create", "--project", "shop");
    const rotated = await fetch(`${server.baseUrl}/admin/v1/projects/shop/webhook-secret`, {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    });
    const { secret } = await rotated.json();
    assert.match(secret, /^whsec_/);
    await Deno.writeTextFile(catalogue, CATALOGUE("3.00"));
    server.process.kill("SIGHUP");
    await until("the catalogue is read again", async () => {
      const [newest] = await list(dataDir, "--limit", "1");
      return newest!.channel === "catalogue_file" && newest;
    });
    await server.kill();

    await tollgate(dataDir, { USER: "carol" }, "projects", "disable", "shop");
    const rows = await list(dataDir);
    const file = `catalogue:${catalogue}`;
    const [, keySubject] = /(key:key_\w+)/.exec(JSON.stringify(rows))!;
    assert.deepEqual(rows.map(brief), [
      ["in_process", `carol ${uid}`, null, "projects.disable", "project:shop"],
      ["catalogue_file", null, null, "catalogue.apply", file],
      ["admin_api", "admin key", "127.0.0.1", "projects.webhook_secret", "project:shop"],
      ["control_socket", `bob ${uid}`, null, "keys.create", keySubject],
      ["control_socket", `alice ${uid}`, null, "projects.credit", "project:shop"],
      ["catalogue_file", null, null, "catalogue.apply", file],
    ]);
    assert.deepEqual(rows.map(({ number }) => number), [6, 5, 4, 3, 2, 1]);
    assert.deepEqual(rows[1]!.before, { "route builtin/echo-1": { "sale.output": "2.00" } });
    assert.deepEqual(rows[1]!.after, { "route builtin/echo-1": { "sale.output": "3.00" } });
    const told = JSON.stringify(rows);
    for (const hidden of [key, secret, ADMIN_KEY]) assert.ok(!told.includes(hidden));
    const verified = await tollgate(dataDir, {}, "ledger", "verify");
    assert.deepEqual([verified.differences, verified.checked.audit_rows], [[], 6]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
