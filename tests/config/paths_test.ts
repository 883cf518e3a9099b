/**
 * Which data dir and socket path are chosen.
 *
 * @module
 */

import assert from "node:assert/strict";
import { controlSocketPlace, defaultDataDir, makePrivateFolder } from "../../src/config/paths.ts";
import { readSurroundings } from "../../src/config/surroundings.ts";
import { type GivenSurroundings, surroundings } from "./surroundings.ts";

const HOME = { HOME: "/home/me" };

/** Name, surroundings, the choice. */
const CHOICES: readonly (readonly [string, GivenSurroundings, string | undefined])[] = [
  [
    "systemd's folder first",
    {
      env: { STATE_DIRECTORY: "/var/lib/t", ...HOME },
      executableFolder: "/opt",
      writable: ["/opt"],
    },
    "/var/lib/t by $STATE_DIRECTORY",
  ],
  [
    "the first of systemd's folders",
    { env: { STATE_DIRECTORY: "/var/lib/t:/var/lib/u" } },
    "/var/lib/t by $STATE_DIRECTORY",
  ],
  [
    "beside the executable",
    { executableFolder: "/opt/t", writable: ["/opt/t", "/srv"], env: HOME },
    "/opt/t/tollgate_data by beside the executable",
  ],
  [
    "beside the executable in a folder of its own",
    { executableFolder: "/opt", writable: ["/opt/tollgate_data"], env: HOME },
    "/opt/tollgate_data by beside the executable",
  ],
  [
    "the home folder when the executable's is not writable",
    { executableFolder: "/usr/bin", env: HOME },
    "/home/me/.local/share/tollgate by home folder",
  ],
  [
    "the working folder, from source",
    { writable: ["/srv"], env: HOME },
    "/srv/tollgate_data by working folder",
  ],
  [
    "the user's data folder",
    { executableFolder: "/usr/bin", env: { XDG_DATA_HOME: "/data", ...HOME } },
    "/data/tollgate by $XDG_DATA_HOME",
  ],
  [
    "no relative data folder",
    { executableFolder: "/usr/bin", env: { XDG_DATA_HOME: "data", ...HOME } },
    "/home/me/.local/share/tollgate by home folder",
  ],
  ["nothing where there is nothing", { executableFolder: "/usr/bin" }, undefined],
];

for (const [name, given, expected] of CHOICES) {
  Deno.test(`defaultDataDir() chooses ${name}`, () => {
    const choice = defaultDataDir(surroundings(given));
    assert.equal(choice && `${choice.path} by ${choice.source}`, expected);
  });
}

Deno.test("defaultDataDir() passes over a folder of its name that it cannot write", () => {
  const given = { executableFolder: "/opt", folders: ["/opt/tollgate_data"], env: HOME };
  const around = surroundings({ ...given, writable: ["/opt"] });
  assert.equal(defaultDataDir(around)?.source, "home folder");
});

Deno.test("readSurroundings() tells writable folders from others, leaving nothing behind", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const around = readSurroundings();
    assert.equal(around.isWritable(folder), true);
    assert.equal(around.isWritable(`${folder}/none`), false);
    assert.equal(around.isWritable("/proc"), false);
    assert.equal(around.isDirectory(folder), true);
    assert.equal(around.isDirectory(`${folder}/none`), false);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
    assert.equal(around.cwd, Deno.cwd());
    assert.equal(around.executableFolder, undefined);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("controlSocketPlace() stays in the data dir while its path fits", () => {
  const fitting = `/${"d".repeat(86)}`;
  assert.deepEqual(controlSocketPlace(fitting, surroundings()), {
    path: `${fitting}/control.sock`,
    privateFolder: undefined,
  });
  // Bytes count, not characters.
  assert.match(controlSocketPlace(`/${"é".repeat(50)}`, surroundings()).path, /^\/tmp\//);
});

Deno.test("controlSocketPlace() leaves a long data dir, to the same place each time", () => {
  const long = `/${"d".repeat(87)}`;
  const runtime = { env: { XDG_RUNTIME_DIR: "/run/user/1000" }, folders: ["/run/user/1000"] };
  const inRuntime = controlSocketPlace(long, surroundings(runtime));
  assert.match(inRuntime.path, /^\/run\/user\/1000\/tollgate-[0-9a-f]{32}\.sock$/);
  assert.equal(inRuntime.privateFolder, undefined);
  assert.deepEqual(controlSocketPlace(long, surroundings(runtime)), inRuntime);
  assert.notEqual(controlSocketPlace(`${long}x`, surroundings(runtime)).path, inRuntime.path);

  const gone = controlSocketPlace(long, surroundings({ env: runtime.env }));
  assert.match(gone.path, /^\/tmp\/tollgate-1000\/[0-9a-f]{32}\.sock$/);
  assert.equal(gone.privateFolder, "/tmp/tollgate-1000");
  const ownTemp = surroundings({ env: { TMPDIR: "/var/tmp" } });
  assert.equal(controlSocketPlace(long, ownTemp).privateFolder, "/var/tmp/tollgate-1000");
  const longTemp = surroundings({ env: { TMPDIR: `/${"t".repeat(90)}` } });
  assert.equal(controlSocketPlace(long, longTemp).privateFolder, "/tmp/tollgate-1000");
});

Deno.test("makePrivateFolder() takes nothing that others could have prepared", async () => {
  const folder = await Deno.makeTempDir();
  const uid = Deno.uid() ?? undefined;
  try {
    const own = `${folder}/own`;
    await makePrivateFolder(own, { uid });
    assert.equal((await Deno.stat(own)).mode! & 0o777, 0o700);
    await makePrivateFolder(own, { uid });

    await Deno.symlink(own, `${folder}/link`);
    await assert.rejects(makePrivateFolder(`${folder}/link`, { uid }), /no folder/);
    await Deno.writeTextFile(`${folder}/file`, "");
    await assert.rejects(makePrivateFolder(`${folder}/file`, { uid }), /no folder/);
    await Deno.mkdir(`${folder}/open`);
    await Deno.chmod(`${folder}/open`, 0o755);
    await assert.rejects(makePrivateFolder(`${folder}/open`, { uid }), /open to other users/);
    await assert.rejects(makePrivateFolder(own, { uid: (uid ?? 0) + 1 }), /open to other users/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
