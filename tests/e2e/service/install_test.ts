/**
 * The executable that installs itself as a service, into a tree that is not this machine's.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { programKind, runTollgate } from "../../support/executable.ts";

const executableOnly = { ignore: programKind !== "executable" };
const BINARY = Deno.env.get("TOLLGATE_BINARY") ?? "";

async function withRoot(test: (root: string, units: string) => Promise<void>) {
  const root = await Deno.makeTempDir({ prefix: "tollgate-image-" });
  try {
    const units = `${root}/etc/systemd/system`;
    for (const folder of [units, `${root}/etc/tollgate`]) {
      await Deno.mkdir(folder, { recursive: true });
    }
    await test(root, units);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function run(...args: string[]) {
  const { code, stdout, stderr } = await runTollgate(["service", ...args, "--json"]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

Deno.test(
  "service install writes the unit and a copy, again without a change, uninstall removes both",
  executableOnly,
  () =>
    withRoot(async (root, units) => {
      const secret = `${root}/etc/tollgate/openai.key`;
      const credential = "openai=/etc/tollgate/openai.key";
      await Deno.writeTextFile(secret, "sk-hidden", { mode: 0o600 });
      const args = ["install", "--root", root, "--copy", "--credential", credential];
      const path = `${units}/tollgate.service`;
      const enable = [`systemctl --root=${root} enable tollgate`];
      assert.deepEqual(await run(...args), {
        unit: path,
        state: "new",
        executable: "/usr/local/bin/tollgate",
        data_dir: "/var/lib/tollgate",
        next: enable,
      });
      const unit = await Deno.readTextFile(path);
      assert.match(unit, /^ExecStart=\/usr\/local\/bin\/tollgate serve$/m);
      assert.match(unit, /^LoadCredential=openai:\/etc\/tollgate\/openai\.key$/m);
      assert.doesNotMatch(unit, /sk-hidden/);
      const copy = `${root}/usr/local/bin/tollgate`;
      assert.equal((await Deno.stat(copy)).mode! & 0o777, 0o755);
      assert.ok(Buffer.from(await Deno.readFile(copy)).equals(await Deno.readFile(BINARY)));

      assert.equal((await run(...args)).state, "unchanged");
      await enableIn(root, units);
      assert.deepEqual((await run(...args)).next, []);
      assert.equal((await run(...args, "--listen", "0.0.0.0:8080")).state, "changed");
      assert.match(await Deno.readTextFile(path), /^Environment=TOLLGATE_LISTEN=0\.0\.0\.0:8080$/m);

      const removed = await run("uninstall", "--root", root);
      assert.deepEqual([removed.state, removed.data_dir], [
        "removed",
        `${root}/var/lib/private/tollgate`,
      ]);
      assert.equal((await run("uninstall", "--root", root)).state, "absent");
      const left = [...Deno.readDirSync(`${units}/multi-user.target.wants`)];
      assert.deepEqual(left, []);
      assert.equal(await Deno.readTextFile(secret), "sk-hidden");
      assert.deepEqual(removed.program, { path: copy, state: "removed" });
      await assert.rejects(Deno.stat(copy), Deno.errors.NotFound);
    }),
);

Deno.test(
  "service install --backup-dir takes a folder of its own below what is root's, and gives it nobody before",
  executableOnly,
  () =>
    withRoot(async (root, units) => {
      await Deno.chmod(root, 0o755);
      const install = (folder: string) =>
        runTollgate(["service", "install", "--root", root, "--copy", "--backup-dir", folder]);
      await Deno.mkdir(`${root}/mnt/others`, { recursive: true });
      await Deno.writeTextFile(`${root}/mnt/others/film.mp4`, "precious");
      await Deno.mkdir(`${root}/mnt/open`);
      await Deno.chmod(`${root}/mnt/open`, 0o777);
      await Deno.mkdir(`${root}/mnt/closed`, { mode: 0o700 });
      await Deno.symlink("/etc", `${root}/mnt/link`);
      await Deno.writeTextFile(`${root}/mnt/file`, "");
      const cases: readonly (readonly [string, RegExp])[] = [
        ["/mnt/others", /it holds film\.mp4 too.*Name one such as \/mnt\/others\/tollgate/],
        ["/mnt/open/backups", /others than root may write in \/mnt\/open/],
        ["/mnt/closed/backups", /may not enter \/mnt\/closed/],
        ["/mnt/link", /\/mnt\/link is a link/],
        ["/mnt/link/backups", /\/mnt\/link is a link/],
        ["/mnt/file", /\/mnt\/file is no folder/],
      ];
      for (const [folder, message] of cases) {
        const { code, stdout, stderr } = await install(folder);
        assert.deepEqual([code, stdout], [1, ""], folder);
        assert.match(stderr, message);
        assert.deepEqual([...Deno.readDirSync(units)], []);
      }
      await Deno.mkdir(`${root}/mnt/disk/lost+found`, { recursive: true });
      await Deno.writeTextFile(`${root}/mnt/disk/tollgate-20261121-145306.db`, "");
      for (const folder of ["/mnt/disk", "/mnt/others/tollgate", "/mnt/new/one"]) {
        const { code, stderr } = await install(folder);
        assert.equal(code, 0, stderr);
        const unit = await Deno.readTextFile(`${units}/tollgate.service`);
        assert.ok(unit.includes(`\nReadWritePaths="-${folder}"\n`));
      }
      // The machine makes it when the server starts.
      assert.throws(() => Deno.lstatSync(`${root}/mnt/new`), Deno.errors.NotFound);
    }),
);

Deno.test(
  "service install and uninstall leave what a link in the tree leads to, and a tree of another user",
  { ignore: executableOnly.ignore || Deno.uid() !== 0 },
  () =>
    withRoot(async (root, units) => {
      const host = await Deno.makeTempDir({ prefix: "tollgate-host-" });
      try {
        const refused = async (message: RegExp) => {
          for (const args of [["install", "--copy"], ["uninstall"]]) {
            const { code, stderr } = await runTollgate(["service", ...args, "--root", root]);
            assert.equal(code, 1);
            assert.match(stderr, message);
          }
        };
        await Deno.writeTextFile(`${host}/precious`, "precious");
        // What an install that broke off would leave, as a link.
        await Deno.symlink(`${host}/precious`, `${units}/tollgate.service.new`);
        await run("install", "--copy", "--root", root);
        assert.equal(await Deno.readTextFile(`${host}/precious`), "precious");
        await run("uninstall", "--root", root);

        await Deno.chown(units, 4711, 4711);
        await refused(/system belongs to the user with id 4711.*sudo -u '#4711' tollgate/);
        await Deno.remove(units, { recursive: true });
        await Deno.symlink(host, units);
        await refused(/system is a link that leads out of it/);
        await Deno.remove(units);
        await Deno.mkdir(units);
        await Deno.remove(`${root}/usr`, { recursive: true });
        await Deno.symlink(host, `${root}/usr`);
        await refused(/usr is a link that leads out of it/);
        assert.deepEqual([...Deno.readDirSync(host)].map(({ name }) => name), ["precious"]);
      } finally {
        await Deno.remove(host, { recursive: true });
      }
    }),
);

Deno.test(
  "service install --copy that cannot copy leaves no unit that names a missing program",
  executableOnly,
  () =>
    withRoot(async (root, units) => {
      await Deno.mkdir(`${root}/usr/local`, { recursive: true });
      await Deno.writeTextFile(`${root}/usr/local/bin`, "no folder");
      const { code, stderr } = await runTollgate(["service", "install", "--copy", "--root", root]);
      assert.equal(code, 1);
      assert.match(stderr, /^tollgate: .*usr\/local\/bin/);
      assert.deepEqual([...Deno.readDirSync(units)], []);
    }),
);

Deno.test(
  "service install refuses to run what a service would not see, and says what to do",
  executableOnly,
  () =>
    withRoot(async (root, units) => {
      // Below /tmp, as downloads often are below a home.
      const program = `${root}/tollgate`;
      await Deno.copyFile(BINARY, program);
      const service = async (...args: string[]) => {
        const { code, stdout, stderr } = await new Deno.Command(program, {
          args: ["service", ...args],
          clearEnv: true,
          stdin: "null",
        }).output();
        const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
        return { code, out: out!, err: err! };
      };
      const { code, err } = await service("install", "--root", root);
      assert.equal(code, 1);
      assert.match(
        err,
        /a service sees nothing below \/tmp\. Add --copy to run a copy, \/usr\/local/,
      );
      assert.deepEqual([...Deno.readDirSync(units)], []);

      const printed = await service("print");
      assert.equal(printed.code, 0);
      assert.match(printed.out, /^# Written by [^]*^ExecStart=\/usr\/local\/bin\/tollgate serve$/m);
      assert.match(printed.err, /^Warning: The unit that was printed is that of service install /);
      // No unit, so no word of one.
      const refused = await service("print", "--listen", "nowhere");
      assert.deepEqual([refused.code, refused.out], [2, ""]);
      assert.doesNotMatch(refused.err, /unit that|below/);
    }),
);

Deno.test(
  "the executable may start no program, neither for the service nor otherwise",
  executableOnly,
  async () => {
    // Permissions are baked in: a systemctl that lies ready is not run.
    await withRoot(async (root) => {
      const marker = `${root}/was-run`;
      await Deno.writeTextFile(`${root}/systemctl`, `#!/bin/sh\ntouch ${marker}\n`, {
        mode: 0o755,
      });
      const { code } = await runTollgate(["service", "install", "--root", root, "--copy"], {
        env: { PATH: root },
      });
      assert.equal(code, 0);
      await assert.rejects(Deno.stat(marker), Deno.errors.NotFound);
    });
  },
);

/** As the command does that install names; where there is no systemctl, by hand. */
async function enableIn(root: string, units: string): Promise<void> {
  try {
    const { code, stderr } = await new Deno.Command("systemctl", {
      args: [`--root=${root}`, "enable", "tollgate"],
      stdin: "null",
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    await Deno.mkdir(`${units}/multi-user.target.wants`);
    await Deno.symlink(
      "/etc/systemd/system/tollgate.service",
      `${units}/multi-user.target.wants/tollgate.service`,
    );
  }
  assert.ok((await Deno.lstat(`${units}/multi-user.target.wants/tollgate.service`)).isSymlink);
}

Deno.test(
  "service print shows anybody the unit with a secret in a folder that only root sees into",
  { ignore: executableOnly.ignore || Deno.uid() !== 0 },
  () =>
    withRoot(async (root) => {
      const open = await Deno.makeTempDir({ prefix: "tollgate-nobody-" });
      try {
        await Deno.chmod(open, 0o755);
        await Deno.copyFile(BINARY, `${open}/tollgate`);
        await Deno.chmod(root, 0o700);
        const hidden = `${root}/etc/tollgate/openai.key`;
        const { code, stdout, stderr } = await new Deno.Command(`${open}/tollgate`, {
          args: ["service", "print", "--credential", `openai=${hidden}`],
          cwd: open,
          uid: 65534,
          gid: 65534,
          clearEnv: true,
        }).output();
        const words = new TextDecoder().decode(stderr);
        assert.equal(code, 0, words);
        assert.ok(words.includes(`Only root sees whether there is a file ${hidden}`), words);
        assert.ok(new TextDecoder().decode(stdout).includes(`LoadCredential=openai:${hidden}\n`));
      } finally {
        await Deno.remove(open, { recursive: true });
      }
    }),
);
