/**
 * `doctor` and `serve` of the executable, beside a server, after it died, and on a
 * database that cannot be used.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { runTollgate, startTollgate } from "../support/executable.ts";

async function doctor(dataDir: string, ...args: readonly string[]) {
  const done = await runTollgate(["doctor", "--data-dir", dataDir, ...args]);
  assert.equal(done.stderr, "");
  return done;
}

Deno.test("doctor finds nothing wrong beside a server, and says what a killed one left", async () => {
  await using server = await startTollgate();
  const well = await doctor(server.dataDir);
  assert.equal(well.code, 0, well.stdout);
  assert.match(
    well.stdout,
    new RegExp(`^ok {7}server +Process ${server.process.pid}, version .*: takes calls$`, "m"),
  );
  assert.ok(!/^(warning|problem)/m.test(well.stdout), well.stdout);
  const { findings, warnings } = await jsonOf(server.dataDir);
  assert.deepEqual(warnings, []);
  assert.equal(findings.length, well.stdout.trimEnd().split("\n").length);

  await server.kill();
  const left = await doctor(server.dataDir);
  assert.equal(left.code, 0, left.stdout);
  assert.match(left.stdout, /^warning +server +.*\/lock names process \d+, which ended/m);
  assert.match(left.stdout, /^warning +server +.*control\.sock was left/m);
  await Deno.chmod(`${server.dataDir}/tollgate.db`, 0o644);
  const open = await doctor(server.dataDir, "--offline");
  assert.equal(open.code, 1);
  assert.match(
    open.stdout,
    /^problem +files +Other users may open tollgate\.db \(0644\)\n +→ chmod/m,
  );
});

Deno.test("doctor goes on where a part of the database cannot be read", async () => {
  await using server = await startTollgate();
  await server.stop();
  const database = new DatabaseSync(`${server.dataDir}/tollgate.db`);
  database.exec("PRAGMA ignore_check_constraints = ON; UPDATE models SET document = '{'");
  database.close();
  const { code, stdout } = await doctor(server.dataDir, "--offline");
  assert.equal(code, 1);
  assert.match(stdout, /^problem +database +Cannot be looked at: .*JSON/m);
  assert.match(stdout, /^ok +books /m);
  assert.match(stdout, /^ok +films /m);
  assert.doesNotMatch(stdout, /^ok +(prices|secrets|upstreams) /m);
});

async function jsonOf(dataDir: string) {
  const { stdout } = await doctor(dataDir, "--json", "--offline");
  const findings: { readonly check: string; readonly status: string }[] = JSON.parse(stdout);
  return { findings, warnings: findings.filter(({ status }) => status !== "ok") };
}

Deno.test("doctor does not wait for ever for a server that hangs", async () => {
  await using server = await startTollgate();
  server.process.kill("SIGSTOP");
  try {
    const hung = await doctor(server.dataDir, "--offline");
    assert.equal(hung.code, 1);
    assert.match(hung.stdout, /^problem +server +.* has the data dir and does not answer on /m);
  } finally {
    server.process.kill("SIGCONT");
  }
});

function sumOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** How a database may be unfit, and what is said of it. */
const UNFIT: readonly [string, (whole: Uint8Array<ArrayBuffer>) => Uint8Array, RegExp][] = [
  ["junk", () => new TextEncoder().encode("junk ".repeat(1000)), /not an SQLite database/],
  ["cut short", (whole) => whole.slice(0, whole.length - 4096), /truncated/],
  ["damaged", (whole) => whole.fill(0xa5, 4096 * 20, 4096 * 30), /Cannot open the database/],
  ["of a newer schema", (whole) => {
    new DataView(whole.buffer).setUint32(60, 4711);
    return whole;
  }, /schema version 4711 [^]*start a newer tollgate/],
];

Deno.test("serve and doctor refuse a database that is unfit in one line and leave its bytes", async (test) => {
  const cwd = await Deno.makeTempDir({ prefix: "tollgate-unfit-" });
  try {
    const dataDir = `${cwd}/data`;
    await using first = await startTollgate({ dataDir, expectKey: true });
    await first.stop();
    const path = `${dataDir}/tollgate.db`;
    const whole = await Deno.readFile(path);
    for (const [name, change, reason] of UNFIT) {
      await test.step(name, async () => {
        const bytes = change(whole.slice());
        await Deno.writeFile(path, bytes);
        const args = ["serve", "--listen", "127.0.0.1:0", "--data-dir", dataDir];
        const served = await runTollgate(args);
        assert.equal(served.code, 1);
        assert.equal(served.stdout, "");
        assert.match(served.stderr, /^tollgate: [^\n]+\n$/);
        assert.match(served.stderr, reason);
        assert.match(served.stderr, /Nothing was changed/);
        const examined = await doctor(dataDir, "--offline");
        assert.equal(examined.code, 1);
        assert.match(examined.stdout, reason);
        assert.equal(sumOf(await Deno.readFile(path)), sumOf(bytes));
      });
    }
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
});
