import assert from "node:assert/strict";
import { runCommand } from "./run_in_process.ts";

async function withSecret(test: (folder: string) => Promise<void>) {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-secret-" });
  try {
    await Deno.writeTextFile(`${folder}/openai.key`, "sk-hidden", { mode: 0o600 });
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("service print shows the unit with the settings and secrets given, and no secret", () =>
  withSecret(async (cwd) => {
    const { code, stdout, stderr } = await runCommand([
      ...["service", "print", "--listen", "0.0.0.0:443", "--drain-timeout-ms", "5000"],
      ...["--credential", "openai=openai.key", "--credential", `admin_key=${cwd}/openai.key`],
    ], { cwd, env: { TOLLGATE_LOG_LEVEL: "debug" } });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^ExecStart=\/usr\/local\/bin\/tollgate serve$/m);
    assert.match(stdout, /^Environment=TOLLGATE_LISTEN=0\.0\.0\.0:443$/m);
    assert.match(stdout, /^Environment=TOLLGATE_ADMIN_KEY=credential:admin_key$/m);
    assert.ok(stdout.includes(`\nLoadCredential=openai:${cwd}/openai.key\n`));
    assert.match(stdout, /^CapabilityBoundingSet=CAP_NET_BIND_SERVICE$/m);
    assert.match(stdout, /^TimeoutStopSec=20$/m);
    // Neither what a file holds nor what the shell happens to have set.
    assert.doesNotMatch(stdout, /sk-hidden|LOG_LEVEL/);
    const copy = await runCommand(["service", "print", "--copy"], { cwd });
    assert.deepEqual([copy.code, copy.stderr], [0, ""], "an option that install takes");
    assert.match(copy.stdout, /^ExecStart=\/usr\/local\/bin\/tollgate serve$/m);
    const asJson = await runCommand(["service", "print", "--json"], { cwd });
    const { unit, text } = JSON.parse(asJson.stdout);
    assert.equal(unit, "/etc/systemd/system/tollgate.service");
    assert.equal(text, (await runCommand(["service", "print"], { cwd })).stdout);
  }));

Deno.test("service print warns of a secret that others may read", () =>
  withSecret(async (cwd) => {
    await Deno.chmod(`${cwd}/openai.key`, 0o644);
    const args = ["service", "print", "--credential", "openai=openai.key"];
    const { code, stderr } = await runCommand(args, { cwd });
    assert.equal(code, 0);
    assert.match(stderr, /^Warning: .*openai\.key is open to other users/);
  }));

Deno.test("service print says which secrets are to be put where before the service starts", () =>
  withSecret(async (cwd) => {
    const credentials = ["--credential", "openai=openai.key", "--credential", "later=none.key"];
    const { code, stdout, stderr } = await runCommand(["service", "print", ...credentials], {
      cwd,
    });
    assert.equal(code, 0, stderr);
    assert.ok(stdout.includes(`\nLoadCredential=openai:${cwd}/openai.key\n`));
    assert.ok(stdout.includes(`\nLoadCredential=later:${cwd}/none.key\n`));
    assert.equal(
      stderr,
      `Warning: There is no file ${cwd}/none.key yet: put the secret of the credential later ` +
        "there before the service starts, such as with `install -m 600 /dev/stdin " +
        `${cwd}/none.key\`\n`,
    );
  }));

Deno.test("service print refuses what cannot stand in a unit", () =>
  withSecret(async (cwd) => {
    await Deno.writeTextFile(`${cwd}/a key`, "x");
    await Deno.writeTextFile(`${cwd}/models.yaml`, "");
    const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
      [["--listen", "nowhere"], 2, /flag --listen/],
      [["--log-format", "json\n[Install]"], 2, /flag --log-format/],
      [["--base-url", "https://h/a\n"], 2, /TOLLGATE_BASE_URL into a unit: .*control character/],
      [["--credential", "openai"], 2, /Expected --credential NAME=FILE/],
      [["--credential", "a/b=openai.key"], 2, /Expected --credential NAME=FILE/],
      [["--credential", "openai=a key"], 2, /use a plain path/],
      [["--credential", "openai=."], 1, /there is no file /],
      [["--credential", "o=openai.key", "--credential", "o=openai.key"], 2, /o is given twice/],
      [["--catalog", "/nowhere/models.yaml"], 1, /There is no file \/nowhere\/models\.yaml/],
      [["--catalog", "/home/me/models.yaml"], 1, /sees nothing below \/home\. Move it/],
      [["--data-dir", "/srv"], 2, /unknown option '--data-dir'/],
      [["--config", "/etc/tollgate/settings.yaml"], 2, /unknown option '--config'/],
    ];
    for (const [args, expected, message] of cases) {
      const { code, stdout, stderr } = await runCommand(["service", "print", ...args], { cwd });
      assert.deepEqual([code, stdout], [expected, ""], args.join(" "));
      assert.match(stderr, message);
    }
  }));

Deno.test("service print makes folders for backups the server's own, and no other place", async () => {
  const args = ["service", "print", "--backup-dir", "/mnt//none/../back ups/"];
  const { code, stdout, stderr } = await runCommand([...args, "--backup-dir", "/srv/archives"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(
    stdout,
    /^ExecStartPre=-\+\/usr\/bin\/install .*--owner=tollgate .* "\/mnt\/back ups"$/m,
  );
  assert.match(stdout, /^ReadWritePaths="-\/mnt\/back ups"$/m);
  assert.match(stdout, /^ReadWritePaths="-\/srv\/archives"$/m);
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [["backups"], /--backup-dir backups: name it with its whole path/],
    [["./backups"], /whole path/],
    [["/mnt/100%"], /may have letters, digits, spaces/],
    [['/mnt/a"b'], /may have letters/],
    [["/mnt/a\nExecStartPre=+x"], /may have letters/],
    [["/mnt/$HOME"], /may have letters/],
    [["/home/me/backups"], /a service sees nothing below \/home/],
    [["/var/tmp/backups"], /a service sees nothing below \/var\/tmp/],
    [["/var/lib/tollgate/backups"], /the server writes there without it/],
    [["/srv/../var/lib/private/tollgate"], /the server writes there without it/],
    [["/"], /it is the system's/],
    [["/mnt/"], /it is the system's/],
    [["/usr/local/backups"], /it is the system's/],
    [["/mnt/a", "/mnt/a/"], /it is given twice/],
    // The server could lay a link there, which root would follow.
    [["/mnt/a/b", "/mnt/a"], /it is in \/mnt\/a, which is given too/],
  ];
  for (const [folders, message] of cases) {
    const options = folders.flatMap((folder) => ["--backup-dir", folder]);
    const refused = await runCommand(["service", "print", ...options]);
    assert.deepEqual([refused.code, refused.stdout], [2, ""], folders.join(" "));
    assert.match(refused.stderr, message);
  }
});

Deno.test("service print makes the folder of backups by schedule writable, and takes secrets it cannot read", async () => {
  const print = (...args: string[]) => runCommand(["service", "print", ...args]);
  const every = ["--backup-every", "1d", "--backup-to"];
  const own = await print(...every, "/srv/backups");
  assert.deepEqual([own.code, own.stderr], [0, ""]);
  assert.match(own.stdout, /^ReadWritePaths="-\/srv\/backups"$/m);
  assert.match(own.stdout, /^Environment="?TOLLGATE_BACKUP_TO=\/srv\/backups"?$/m);
  for (
    const args of [["/var/lib/tollgate/b"], ["/srv/backups/a", "--backup-dir", "/srv/backups"]]
  ) {
    const { code, stdout } = await print(...every, ...args);
    assert.equal(code, 0);
    assert.doesNotMatch(stdout, /ReadWritePaths=.*\/(b|a)"$/m);
  }
  const alerts = await print(
    ...["--alert-url", "slack=credential:slack", "--alert-url", "https://a.example/in"],
    ...["--alert-secret", "env:ALERT_SECRET"],
  );
  assert.deepEqual([alerts.code, alerts.stderr], [0, ""]);
  assert.match(alerts.stdout, /TOLLGATE_ALERT_URL=slack=credential:slack https:\/\/a\.example\/in/);
});

Deno.test("service install and uninstall tell anybody but root what to do", async () => {
  for (const verb of ["install", "uninstall"]) {
    const { code, stdout, stderr } = await runCommand(["service", verb]);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /only root may change .*Run this with sudo; `tollgate service print`/);
  }
});
