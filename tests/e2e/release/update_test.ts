/**
 * The executable replaces itself by a release's, and by nothing else.
 *
 * @module
 */

import assert from "node:assert/strict";
import { programKind } from "../../support/executable.ts";
import { copyExecutable } from "../../support/executable_files.ts";
import { needsTool, runTool, type ToolRun } from "../../support/outside_tool.ts";
import { LATER_VERSION, writeLaterExecutable } from "../../support/later_executable.ts";
import { makeReleaseKey, type ReleaseKey, writeRelease } from "../../support/release_folder.ts";

const onLinux = { ignore: programKind !== "executable" || Deno.build.os !== "linux" };
const BINARY = Deno.env.get("TOLLGATE_BINARY") ?? "";
/** In the place of one, where it is not looked into. */
const ANY = "/bin/echo";

interface Place {
  readonly folder: string;
  /** Where the executable is. */
  readonly bin: string;
  /** Where the release is. */
  readonly release: string;
  readonly key: ReleaseKey;
  update(...args: readonly string[]): Promise<ToolRun>;
  files(): string[];
  version(): Promise<string>;
  /** The path of a later version. */
  later(): Promise<string>;
}

async function withPlace(test: (place: Place) => Promise<void>) {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-update-" });
  const [bin, release] = [`${folder}/bin`, `${folder}/release`];
  try {
    await Deno.mkdir(bin);
    await Deno.mkdir(release);
    await copyExecutable(BINARY, `${bin}/tollgate`);
    await test({
      folder,
      bin,
      release,
      key: await makeReleaseKey(),
      update: (...args) => runTool(`${bin}/tollgate`, ["update", ...args], { cwd: folder }),
      files: () => [...Deno.readDirSync(bin)].map(({ name }) => name).sort(),
      async version() {
        const { stdout } = await runTool(`${bin}/tollgate`, ["version", "--json"]);
        return JSON.parse(stdout).version;
      },
      async later() {
        await writeLaterExecutable(BINARY, `${folder}/later`);
        return `${folder}/later`;
      },
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test(
  "update takes a signed release, keeps the one before, and goes back",
  onLinux,
  () =>
    withPlace(async ({ bin, release, key, update, files, version, later }) => {
      await writeRelease(release, { version: LATER_VERSION, executable: await later(), key });
      const before = await version();
      const signed = ["--from", "release", "--public-key", key.publicLine];

      const checked = await update(...signed, "--check", "--json");
      assert.equal(checked.code, 0, checked.stderr);
      const facts = JSON.parse(checked.stdout);
      assert.deepEqual([facts.offered, facts.newer, facts.signed, facts.changed], [
        LATER_VERSION,
        true,
        true,
        false,
      ]);
      assert.deepEqual(files(), ["tollgate"]);

      const done = await update(...signed);
      assert.equal(done.code, 0, done.stderr);
      assert.match(
        done.stderr,
        /Version 9\.0\.0 is in place; .*tollgate\.previous is the one before/,
      );
      assert.match(done.stderr, /tollgate update --rollback/);
      assert.equal(await version(), LATER_VERSION);
      assert.deepEqual(files(), ["tollgate", "tollgate.previous"]);
      assert.equal((await Deno.stat(`${bin}/tollgate`)).mode! & 0o777, 0o755);

      // The later one goes back, and the one before goes forth.
      for (const expected of [before, LATER_VERSION]) {
        const { code, stderr } = await update("--rollback");
        assert.equal(code, 0, stderr);
        assert.equal(await version(), expected);
        assert.deepEqual(files(), ["tollgate", "tollgate.previous"]);
      }
    }),
);

Deno.test(
  "update over http takes an archive in pieces",
  onLinux,
  () =>
    withPlace(async ({ release, key, update, version, later }) => {
      const archive = await writeRelease(release, {
        version: LATER_VERSION,
        executable: await later(),
        key,
      });
      const asked: string[] = [];
      await using server = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen() {} },
        async (r) => {
          const { pathname } = new URL(r.url);
          asked.push(pathname);
          if (pathname.startsWith("/moved/")) {
            return Response.redirect(r.url.replace("/moved/", "/v9/"), 302);
          }
          const file = await Deno.open(`${release}/${pathname.slice(4)}`).catch(() => undefined);
          return file === undefined
            ? new Response("none", { status: 404 })
            : new Response(file.readable);
        },
      );
      const base = `http://127.0.0.1:${server.addr.port}`;
      const none = await update("--from", `${base}/v9/other`, "--public-key", key.publicLine);
      assert.match(none.stderr, /There is no SHA256SUMS beside it: .* answered 404/);
      const open = await update("--from", `${base}/v9/`, "--unsigned");
      assert.match(open.stderr, /--unsigned takes https or a file/);
      assert.equal(open.code, 2);
      const done = await update(
        "--from",
        `${base}/moved/${archive}`,
        "--public-key",
        key.publicLine,
      );
      assert.equal(done.code, 0, done.stderr);
      assert.equal(await version(), LATER_VERSION);
      assert.ok(asked.includes(`/v9/${archive}`));
    }),
);

/** Each is refused with these words, and leaves the folder as it was. */
const REFUSED: readonly (readonly [
  what: string,
  words: RegExp,
  spoil: (place: Place) => Promise<readonly string[]>,
])[] = [
  ["no key", /Give the key that the release is signed with/, async ({ release, key }) => {
    await writeRelease(release, { version: "9.0.0", executable: ANY, key });
    return ["--from", "release"];
  }],
  [
    "another's key",
    /is signed with the key [0-9A-F]{16}, and not with/,
    async ({ release, key }) => {
      await writeRelease(release, { version: "9.0.0", executable: ANY, key });
      const { publicLine } = await makeReleaseKey();
      return ["--from", "release", "--public-key", publicLine];
    },
  ],
  ["changed sums", /signature of the release is wrong/, async ({ release, key }) => {
    await writeRelease(release, { version: "9.0.0", executable: ANY, key });
    await Deno.writeTextFile(`${release}/SHA256SUMS`, "\n", { append: true });
    return ["--from", "release", "--public-key", key.publicLine];
  }],
  ["no signature", /There is no SHA256SUMS\.minisig in/, async ({ release, key }) => {
    await writeRelease(release, { version: "9.0.0", executable: ANY });
    return ["--from", "release", "--public-key", key.publicLine];
  }],
  ["a changed archive", /not what SHA256SUMS says it is/, async ({ release, key }) => {
    const archive = await writeRelease(release, { version: "9.0.0", executable: ANY, key });
    await Deno.writeTextFile(`${release}/${archive}`, "x", { append: true });
    return ["--from", "release", "--public-key", key.publicLine];
  }],
  ["an older version", /0\.0\.1 is older than this one/, async ({ release, key }) => {
    await writeRelease(release, { version: "0.0.1", executable: ANY, key });
    return ["--from", "release", "--public-key", key.publicLine];
  }],
  [
    "another kind of machine",
    /nothing for .*linux.*: it has riscv64-/,
    async ({ release, key }) => {
      const target = "riscv64-unknown-linux-gnu";
      await writeRelease(release, { version: "9.0.0", executable: ANY, key, target });
      return ["--from", "release", "--public-key", key.publicLine];
    },
  ],
  ["a program of another kind", /for another kind of machine/, async (place) => {
    const { folder, release, key } = place;
    await Deno.writeTextFile(`${folder}/script`, "#!/bin/sh\n");
    await writeRelease(release, { version: "9.0.0", executable: `${folder}/script`, key });
    return ["--from", "release", "--public-key", key.publicLine];
  }],
  [
    "another program",
    /does not run here: asked for its version it said none: version/,
    async (place) => {
      await writeRelease(place.release, { version: "9.0.0", executable: ANY });
      return ["--from", "release", "--unsigned"];
    },
  ],
  ["one that ends badly", /does not run here: it ended with 1\. Nothing/, async (place) => {
    await writeRelease(place.release, { version: "9.0.0", executable: "/bin/false" });
    return ["--from", "release", "--unsigned"];
  }],
  ["half an executable", /does not run here: .*\. Nothing/, async ({ folder, release }) => {
    const bytes = await Deno.readFile(BINARY);
    await Deno.writeFile(`${folder}/half`, bytes.subarray(0, bytes.length / 2));
    await writeRelease(release, { version: "9.0.0", executable: `${folder}/half` });
    return ["--from", "release", "--unsigned"];
  }],
  [
    "another version than the archive's",
    /it is version \S+, and its archive's name says 9\.0\.0\. Nothing/,
    async ({ release }) => {
      await writeRelease(release, { version: "9.0.0", executable: BINARY });
      return ["--from", "release", "--unsigned"];
    },
  ],
  ["nothing to go back to", /There is none to go back to/, () => Promise.resolve(["--rollback"])],
  ["no release", /Name the release with --from/, () => Promise.resolve([])],
];

for (const [what, words, spoil] of REFUSED) {
  Deno.test(
    `update refuses ${what}, and changes nothing`,
    onLinux,
    () =>
      withPlace(async (place) => {
        const before = await place.version();
        const { code, stderr } = await place.update(...await spoil(place));
        assert.match(stderr, words);
        assert.notEqual(code, 0);
        assert.deepEqual(place.files(), ["tollgate"]);
        assert.equal(await place.version(), before);
      }),
  );
}

Deno.test(
  "update without a signature says so",
  onLinux,
  () =>
    withPlace(async ({ release, update, version, later }) => {
      await writeRelease(release, { version: LATER_VERSION, executable: await later() });
      const done = await update("--from", "release", "--unsigned");
      assert.equal(done.code, 0, done.stderr);
      assert.match(done.stderr, /Warning: Nobody has signed this release/);
      assert.equal(await version(), LATER_VERSION);
    }),
);

/** What changes files: a process that is killed at each of them in turn is killed at every point. */
const CHANGES = "rename,renameat,renameat2,link,linkat,unlink,unlinkat,fsync,fchmod,chmod,fchmodat";

const canTrace = { ignore: onLinux.ignore || needsTool("strace").ignore };
Deno.test(
  "an update that is killed at any point leaves an executable that runs",
  canTrace,
  () =>
    withPlace(async ({ folder, bin, release, key, files, version, later }) => {
      await writeRelease(release, { version: LATER_VERSION, executable: await later(), key });
      const before = await version();
      const seen = new Set<string>();
      let kills = 0;
      for (let point = 1;; point++) {
        const { code } = await runTool("strace", [
          ...["-f", "-qq", "-o", "/dev/null", "-e", `trace=${CHANGES}`],
          ...["-e", `inject=${CHANGES}:signal=KILL:when=${point}`],
          ...[`${bin}/tollgate`, "update", "--from", "release", "--public-key", key.publicLine],
        ], { cwd: folder });
        const now = await version();
        assert.ok(now === before || now === LATER_VERSION, `killed at ${point}: ${now}`);
        seen.add(now);
        assert.ok(point < 100, "it does not end");
        if (code === 0) break;
        kills++;
        // What is left is no hindrance to the next try, which begins with the old one again.
        if (now !== before) await Deno.rename(`${bin}/tollgate.previous`, `${bin}/tollgate`);
      }
      assert.ok(kills >= 4, `${kills} points`);
      assert.ok(seen.has(before));
      assert.deepEqual(files(), ["tollgate", "tollgate.previous"]);
      assert.equal(await version(), LATER_VERSION);
    }),
);
