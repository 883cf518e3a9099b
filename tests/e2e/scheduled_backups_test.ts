/**
 * Backups that the executable makes by itself: at the first start, not at the next one; what fails is
 * told to whoever looks.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runTollgate } from "../support/executable.ts";
import { serveGateway } from "../support/served_gateway.ts";

Deno.test("a backup is made, listed, whole, and not made again by a restart", async () => {
  const above = await Deno.makeTempDir({ prefix: "tollgate-scheduled-" });
  const to = `${above}/backups`;
  await Deno.mkdir(to);
  const start = {
    dataDir: `${above}/data`,
    args: ["--backup-every", "1d", "--backup-to", to, "--backup-films", "on"],
  };
  try {
    let rows;
    {
      await using gateway = await serveGateway({ ...start, expectKey: true });
      await gateway.server.waitForOutput(/backup_made/);
      rows = await gateway.cli("backup", "list");
      assert.equal(rows.length, 1);
      assert.equal(rows[0].good, true);
      assert.ok(rows[0].id.startsWith(`${to}/tollgate-`));
      const { backup_schedule } = await gateway.admin("GET", "/system");
      assert.equal(backup_schedule.trouble, null);
      assert.equal(Date.parse(backup_schedule.next_at), Date.parse(rows[0].at) + 86_400_000);
      await gateway.server.stop();
    }
    const verified = await runTollgate(["backup", "verify", rows[0].id]);
    assert.equal(verified.code, 0, verified.stderr);
    {
      await using gateway = await serveGateway({ ...start, expectKey: false });
      const { backup_schedule } = await gateway.admin("GET", "/system");
      assert.equal(Date.parse(backup_schedule.next_at), Date.parse(rows[0].at) + 86_400_000);
      assert.deepEqual(await gateway.cli("backup", "list"), rows);
      await gateway.server.stop();
    }
    assert.deepEqual(
      await runTollgate(["backup", "list", "--data-dir", start.dataDir, "--json"]).then(
        ({ stdout }) => JSON.parse(stdout),
      ),
      rows,
      "without a server, too",
    );
  } finally {
    await Deno.remove(above, { recursive: true });
  }
});

Deno.test("a folder that is not there is an alert, a warning and a finding, which say what to do", async () => {
  await using gateway = await serveGateway({
    args: ["--backup-every", "12h", "--backup-to", "/nowhere/at-all"],
  });
  await gateway.server.waitForOutput(/backup_failed/);
  const alerts = await gateway.cli("alerts", "list");
  const [alert] = alerts.filter(({ cause }: { cause: string }) => cause === "backup");
  assert.match(alert.text, /there is no folder \/nowhere\/at-all\. Make it first/);
  const ready = await (await fetch(`${gateway.url}/readyz`)).text();
  assert.match(ready, /the last backup by schedule failed/);
  assert.doesNotMatch(ready, /nowhere/);
  const { dataDir } = gateway.server;
  const doctor = await runTollgate(["doctor", "--offline", "--data-dir", dataDir]);
  assert.match(doctor.stdout, /last backup by schedule failed: .*\/nowhere\/at-all/);
});
