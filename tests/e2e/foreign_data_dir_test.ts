/**
 * Root's commands on the data dir of a user who has laid links there.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { runTollgate, startTollgate } from "../support/executable.ts";

const SOMEBODY = 4711;
/** Needs root, to be another user too; CI runs as root. */
const needsRoot = { ignore: Deno.uid() !== 0 && Deno.env.get("CI") !== "true" };

interface Place {
  readonly folder: string;
  /** Of somebody. */
  readonly dataDir: string;
  /** Of root: nothing there may change. */
  readonly outside: string;
}

async function withPlace(test: (place: Place) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-foreign-" });
  const place = { folder, dataDir: `${folder}/data`, outside: `${folder}/outside` };
  try {
    await Deno.chmod(folder, 0o755);
    await Deno.mkdir(place.dataDir, { mode: 0o700 });
    await Deno.mkdir(place.outside);
    await Deno.writeTextFile(`${place.outside}/precious`, "precious", { mode: 0o640 });
    await Deno.chown(place.dataDir, SOMEBODY, SOMEBODY);
    await test(place);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Names, owners, modes, times of change, and content of everything in a folder. */
async function picture(folder: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    const { uid, gid, mode, ino, isFile, isSymlink, isDirectory, ctime } = await Deno.lstat(path);
    const content = isFile
      ? createHash("sha256").update(await Deno.readFile(path)).digest("hex")
      : isSymlink
      ? await Deno.readLink(path)
      : isDirectory
      ? await picture(path)
      : "";
    lines.push(JSON.stringify([name, uid, gid, mode, ino, ctime, content]));
  }
  return lines.sort();
}

async function layLink(target: string, path: string): Promise<void> {
  await Deno.symlink(target, path);
  const { success } = await new Deno.Command("chown", { args: ["-h", `${SOMEBODY}`, path] })
    .output();
  assert.ok(success);
}

const COMMANDS: readonly (readonly string[])[] = [
  ["backup", "create"],
  ["backup", "restore", "FILE", "--yes"],
  ["keys", "create", "--project", "default"],
  ["projects", "create", "x"],
  ["apply", "CATALOGUE"],
  ["calls", "archive", "--before", "2020-01-01"],
  ["ledger", "verify"],
  ["serve", "--listen", "127.0.0.1:0"],
];

Deno.test(
  "root follows no link in the data dir of another user, whatever the command, and says how to go on",
  needsRoot,
  () =>
    withPlace(async ({ folder, dataDir, outside }) => {
      await using mine = await startTollgate();
      await mine.stop();
      const backup = `${folder}/backup.db`;
      await Deno.copyFile(`${mine.dataDir}/tollgate.db`, backup);
      // A database with a log: SQLite makes files beside it when it is only looked at.
      await Deno.copyFile(`${mine.dataDir}/tollgate.db`, `${outside}/other.db`);
      const catalogue = `${folder}/models.yaml`;
      await Deno.writeTextFile(catalogue, "models: []\n");
      await layLink(outside, `${dataDir}/backups`);
      await layLink(outside, `${dataDir}/archives`);
      await layLink(outside, `${dataDir}/videos`);
      await layLink(`${outside}/precious`, `${dataDir}/lock`);
      await layLink(`${outside}/other.db`, `${dataDir}/tollgate.db`);
      await layLink(`${outside}/new`, `${dataDir}/control.sock`);
      await layLink(`${outside}/precious`, `${dataDir}/first-key`);
      const [before, beforeData] = [await picture(outside), await picture(dataDir)];
      for (const command of COMMANDS) {
        const args = command.map((arg) =>
          arg === "FILE" ? backup : arg === "CATALOGUE" ? catalogue : arg
        );
        const { code, stderr } = await runTollgate([...args, "--data-dir", dataDir]);
        assert.equal(code, 1, `${command.join(" ")}: ${stderr}`);
        assert.match(
          stderr,
          /Root does not write in the data dir .*run this as that user: sudo -u '#4711' tollgate/,
          command.join(" "),
        );
        assert.deepEqual(await picture(outside), before, command.join(" "));
        assert.deepEqual(await picture(dataDir), beforeData, command.join(" "));
      }
      const doctor = await runTollgate(["doctor", "--data-dir", dataDir]);
      assert.match(doctor.stdout, /warning +database +Not looked at, nor what is in it/);
      assert.match(doctor.stdout, /→ run this as that user: sudo -u '#4711' tollgate/);
      // Only root's own question, about a file that root has named, looks into that.
      const verified = await runTollgate(["backup", "verify", `${dataDir}/tollgate.db`]);
      assert.equal(verified.code, 0, verified.stderr);
      assert.deepEqual(await picture(outside), before);
      assert.deepEqual(await picture(dataDir), beforeData);
    }),
);

Deno.test(
  "root waits at no pipe and reads no device in the place of another user's lock",
  needsRoot,
  () =>
    withPlace(async ({ dataDir }) => {
      for (const lay of [["mkfifo"], ["ln", "-s", "/dev/zero"]]) {
        const [program = "", ...args] = lay;
        await new Deno.Command(program, { args: [...args, `${dataDir}/lock`] }).output();
        const keys = await runTollgate(["keys", "list", "--data-dir", dataDir]);
        assert.match(keys.stderr, /Root does not write in the data dir/);
        const doctor = await runTollgate(["doctor", "--data-dir", dataDir]);
        assert.match(doctor.stdout, /ok +server +None runs on the data dir/);
        await Deno.remove(`${dataDir}/lock`);
      }
    }),
);

Deno.test(
  "root uses no socket of a third user that the lock of a data dir names",
  needsRoot,
  () =>
    withPlace(async ({ folder, dataDir }) => {
      const socket = `${folder}/other.sock`;
      using listener = Deno.listen({ transport: "unix", path: socket });
      const accepted = listener.accept().then(() => "asked", () => "closed");
      const lock = JSON.stringify({ pid: 1, socket, kind: "server" });
      await Deno.writeTextFile(`${dataDir}/lock`, lock);
      await Deno.chown(`${dataDir}/lock`, SOMEBODY, SOMEBODY);
      for (const args of [["keys", "create", "--project", "default"], ["doctor"]]) {
        const { code, stdout, stderr } = await runTollgate([...args, "--data-dir", dataDir]);
        assert.deepEqual([code, stdout], [1, ""]);
        assert.match(
          stderr,
          /Root does not use .*other\.sock.*not a socket of the user with id 4711/,
        );
      }
      listener.close();
      assert.equal(await accepted, "closed");
    }),
);

Deno.test(
  "root works through the server of another user, which writes as that user",
  needsRoot,
  () =>
    withPlace(async ({ dataDir }) => {
      await using server = await startTollgate({
        dataDir,
        expectKey: true,
        env: { HOME: dataDir },
        through: ["setpriv", `--reuid=${SOMEBODY}`, `--regid=${SOMEBODY}`, "--clear-groups"],
      });
      const run = (...args: string[]) => runTollgate([...args, "--data-dir", dataDir]);
      const key = await run("keys", "create", "--project", "default");
      assert.equal(key.code, 0, key.stderr);
      assert.match(key.stdout, /sk-tg-/);
      const backup = await run("backup", "create", "--json");
      assert.equal(backup.code, 0, backup.stderr);
      const { uid } = await Deno.lstat(JSON.parse(backup.stdout).file);
      assert.equal(uid, SOMEBODY);
      const doctor = await run("doctor");
      assert.match(doctor.stdout, /ok +server +Process \d+, .*: takes calls/);
      assert.match(doctor.stdout, /ok +files +/);
      assert.match(doctor.stdout, /warning +database +Not looked at/);
      assert.equal(doctor.code, 0, doctor.stdout);
      const owners = [...Deno.readDirSync(dataDir)].map(({ name }) =>
        Deno.lstatSync(`${dataDir}/${name}`).uid
      );
      assert.deepEqual([...new Set(owners)], [SOMEBODY]);
      await server.stop();
    }),
);
