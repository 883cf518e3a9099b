/**
 * Backups by schedule in a bucket of a real S3 server: whole or none, kept in number, and everything
 * brought back on a machine that has nothing else.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { runTollgate, startTollgate } from "../support/executable.ts";
import { NEEDS_S3, type S3Server, startS3Server } from "../support/s3_server.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";
import { stallingLine } from "../support/stalling_line.ts";

const PLACE = "s3://backups/team/gateway";
const SCHEDULE = ["--backup-every", "1h", "--backup-to", PLACE];
const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: video-2
    kind: video
    routes:
      - { id: builtin/video-2, provider: builtin, sale: { second: "0.10" } }
projects:
  - { id: default, unlimited: true }
`;

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-bucket-" });
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Makes the newest backup look so much older, as nobody waits an hour. */
async function age(dataDir: string, ms: number): Promise<void> {
  const path = `${dataDir}/scheduled_backups.json`;
  const state = JSON.parse(await Deno.readTextFile(path));
  for (const backup of state.backups) backup.at -= ms;
  await Deno.writeTextFile(path, JSON.stringify(state));
}

function secretsOf(s3: S3Server): readonly string[] {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = s3.env();
  return [AWS_ACCESS_KEY_ID!, AWS_SECRET_ACCESS_KEY!];
}

Deno.test(
  "backups and films go to the bucket, the oldest leaves, and all comes back from it",
  NEEDS_S3,
  async () => {
    await using s3 = await startS3Server();
    await withFolder(async (folder) => {
      const env = s3.env();
      const dataDir = `${folder}/data`;
      const args = [...SCHEDULE, "--backup-keep", "2", "--backup-films", "on"];
      let film = "";
      {
        await using gateway = await serveGateway({
          dataDir,
          catalogue: CATALOGUE,
          expectKey: true,
        });
        const key = gateway.server.key;
        const headers = { "authorization": `Bearer ${key}`, "content-type": "application/json" };
        const asked = { model: "video-2", prompt: "a red ball", size: "640x360", seconds: "1" };
        const body = JSON.stringify(asked);
        const made = await fetch(`${gateway.url}/v1/videos`, { method: "POST", headers, body });
        film = (await made.json()).id;
        await until(
          "the film",
          async () => (await gateway.get(`/v1/videos/${film}`, key)).status === "completed",
        );
        await gateway.server.stop();
      }
      const names: string[] = [];
      for (let start = 0; start < 3; start++) {
        await using gateway = await serveGateway({ dataDir, args, env, expectKey: false });
        const made = await gateway.server.waitForOutput(/backup_made.*?(tollgate-[\d-]+\.db)/);
        names.push(made[1]!);
        await gateway.server.waitForOutput(start < 2 ? /backup_made/ : /backup_removed/);
        const rows = await gateway.cli("backup", "list");
        assert.equal(rows[0].id, `${PLACE}/${names.at(-1)}`);
        const { backup_schedule } = await gateway.admin("GET", "/system");
        assert.deepEqual([backup_schedule.folder, backup_schedule.trouble], [PLACE, null]);
        await gateway.server.stop();
        await age(dataDir, 3_600_000);
      }
      assert.deepEqual((await s3.keys()).filter((key) => key.endsWith(".db")), [
        `team/gateway/${names[1]}`,
        `team/gateway/${names[2]}`,
      ]);
      assert.ok((await s3.keys()).includes(`team/gateway/films/${film}.mp4`));
      assert.deepEqual([...Deno.readDirSync(`${dataDir}/backups`)], [], "nothing stays here");

      const away = `${folder}/another-machine`;
      const stored = await runTollgate(["backup", "stored", PLACE, "--json"], { env });
      assert.deepEqual(
        JSON.parse(stored.stdout).map(({ id }: { id: string }) => id),
        [`${PLACE}/${names[2]}`, `${PLACE}/${names[1]}`],
      );
      const restored = await runTollgate(
        ["backup", "restore", PLACE, "--data-dir", away, "--json"],
        {
          env,
        },
      );
      assert.equal(restored.code, 0, restored.stderr);
      const report = JSON.parse(restored.stdout);
      assert.equal(report.file, `${PLACE}/${names[2]}`);
      assert.deepEqual([report.films, report.films_fetched, report.films_missing], [1, 1, 0]);
      assert.deepEqual(
        await Deno.readFile(`${away}/videos/${film}.mp4`),
        await Deno.readFile(`${dataDir}/videos/${film}.mp4`),
      );
      const again = await runTollgate(["backup", "restore", PLACE, "--data-dir", away], { env });
      assert.equal(again.code, 1);
      assert.match(again.stderr, /has a database\. With --yes it is replaced/);
      const verified = await runTollgate(["backup", "verify", report.file], { env });
      assert.equal(verified.code, 0, verified.stderr);
      assert.deepEqual(
        [...Deno.readDirSync(away)].map(({ name }) => name).filter((name) => /work/.test(name)),
        [],
      );

      // A film that is broken in the bucket is one that is missing: the books come back all the same.
      await s3.client.ask({
        ...{ what: "break a film", method: "PUT", key: `team/gateway/films/${film}.mp4` },
        ...{ body: new Uint8Array(9), headers: { "x-amz-meta-sha256": "0".repeat(64) } },
      });
      const third = `${folder}/third-machine`;
      const rest = await runTollgate(["backup", "restore", PLACE, "--data-dir", third, "--json"], {
        env,
      });
      assert.equal(rest.code, 0, rest.stderr);
      const { films, films_fetched, films_missing } = JSON.parse(rest.stdout);
      assert.deepEqual([films, films_fetched, films_missing], [1, 0, 1]);
      assert.deepEqual(
        [...Deno.readDirSync(`${third}/videos`)].filter(({ name }) => !name.endsWith(".webp")),
        [],
      );
    });
  },
);

Deno.test(
  "killed in the middle of an upload, nothing counts, and the next start makes one",
  NEEDS_S3,
  async () => {
    await using s3 = await startS3Server();
    await withFolder(async (folder) => {
      const dataDir = `${folder}/data`;
      {
        await using gateway = await startTollgate({ dataDir, expectKey: true });
        await gateway.stop();
      }
      // Long enough for an upload in parts.
      const database = new DatabaseSync(`${dataDir}/tollgate.db`);
      database.exec("CREATE TABLE padding (bytes BLOB) STRICT");
      database.exec("INSERT INTO padding VALUES (randomblob(20000000))");
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      database.close();
      {
        await using line = stallingLine(s3.endpoint, 10_000_000);
        await using server = await startTollgate({
          ...{ dataDir, args: SCHEDULE, env: s3.env(line.address), expectKey: false },
        });
        await Promise.race([line.stalled, server.waitForOutput(/backup_(made|failed).*/)]);
        assert.doesNotMatch(server.stderr, /backup_/);
        // Calls are served beside a server that takes nothing more.
        assert.equal((await fetch(`${server.baseUrl}/healthz`)).status, 200);
        await server.kill();
      }
      assert.deepEqual(await s3.keys(), []);
      assert.equal((await s3.uploads()).length, 1);
      const listed = await runTollgate(["backup", "list", "--data-dir", dataDir, "--json"]);
      assert.deepEqual(JSON.parse(listed.stdout), []);
      {
        await using server = await startTollgate({
          ...{ dataDir, args: SCHEDULE, env: s3.env(), expectKey: false },
        });
        await server.waitForOutput(/backup_made/);
        await server.stop();
      }
      assert.equal((await s3.keys()).length, 1);
      assert.deepEqual(await s3.uploads(), [], "what was broken off is ended");
      const env = s3.env();
      const verified = await runTollgate(["backup", "verify", PLACE, "--json"], { env });
      assert.equal(verified.code, 0, verified.stderr);
    });
  },
);

Deno.test(
  "a bucket that cannot be used is an alert, a warning and a finding, without a secret",
  NEEDS_S3,
  async () => {
    await using s3 = await startS3Server();
    const cases: readonly (readonly [string, Record<string, string>, RegExp])[] = [
      ["s3://no-such-bucket/x", s3.env(), /404 NoSuchBucket.*Make the bucket first/],
      [PLACE, { AWS_ENDPOINT_URL_S3: s3.endpoint }, /AWS_ACCESS_KEY_ID has no value/],
      [PLACE, { ...s3.env(), AWS_ENDPOINT_URL_S3: "ftp://x" }, /AWS_ENDPOINT_URL_S3 is no address/],
    ];
    for (const [place, env, expected] of cases) {
      await using gateway = await serveGateway({
        args: ["--backup-every", "1d", "--backup-to", place],
        env,
      });
      await gateway.server.waitForOutput(/backup_failed/);
      const alerts = await gateway.cli("alerts", "list");
      const [alert] = alerts.filter(({ cause }: { cause: string }) => cause === "backup");
      assert.match(alert.text, expected);
      const ready = await (await fetch(`${gateway.url}/readyz`)).text();
      assert.match(ready, /the last backup by schedule failed/);
      const { dataDir } = gateway.server;
      const doctor = await runTollgate(["doctor", "--offline", "--data-dir", dataDir]);
      assert.match(doctor.stdout, expected);
      for (const secret of secretsOf(s3).slice(1)) {
        for (const text of [ready, doctor.stdout, alert.text, gateway.server.stderr]) {
          assert.ok(!text.includes(secret));
        }
      }
    }
  },
);
