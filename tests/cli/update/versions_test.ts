/**
 * Which version is the later one, and whose file the executable is.
 *
 * @module
 */

import assert from "node:assert/strict";
import { compareVersions } from "../../../src/cli/update/offered_release.ts";
import { refusePackaged } from "../../../src/cli/update/owner_of_executable.ts";
import { releaseSource } from "../../../src/cli/update/release_source.ts";
import { runCommand } from "../run_in_process.ts";

const ORDER = [
  "0.1.0-alpha.2",
  "0.1.0-alpha.10",
  "0.1.0-beta",
  "0.1.0",
  "0.1.1",
  "0.10.0",
  "1.0.0",
];

Deno.test("compareVersions() orders as semantic versioning does", () => {
  for (const [i, one] of ORDER.entries()) {
    for (const [j, other] of ORDER.entries()) {
      assert.equal(Math.sign(compareVersions(one, other)), Math.sign(i - j), `${one} ${other}`);
    }
  }
});

Deno.test("update from source says how that is updated", async () => {
  const { code, stderr } = await runCommand(["update", "--rollback"]);
  assert.equal(code, 1);
  assert.match(stderr, /This is not the executable: .*npm install --global tollgate@latest/);
});

Deno.test("update names a public key that is none", async () => {
  const args = ["update", "--from", "/nowhere", "--public-key", "/nowhere/key"];
  const { code, stderr } = await runCommand(args);
  assert.equal(code, 2);
  assert.match(stderr, /There is no public key \/nowhere\/key/);
});

Deno.test("the Debian package's file is left to apt, and no other one", async () => {
  const list = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(
      list,
      "/.\n/usr\n/usr/bin\n/usr/bin/tollgate\n/usr/share/doc/tollgate\n",
    );
    assert.throws(() => refusePackaged("/usr/bin/tollgate", list), {
      message: /belongs to the Debian package: update it with `apt install \.\/tollgate_/,
    });
    refusePackaged("/usr/local/bin/tollgate", list);
    refusePackaged("/usr/bin/tollgate", `${list}.not.there`);
  } finally {
    await Deno.remove(list);
  }
});

Deno.test("what an update cannot fetch is named without the secrets of its address", async () => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response("no", { status: 403 }),
  );
  const closed = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = closed.addr;
  closed.close();
  for (const place of [server.addr.port, port]) {
    const from = `http://anna:pass-word@127.0.0.1:${place}/v9/?token=to-ken`;
    await assert.rejects(Array.fromAsync(releaseSource(from, "/").read("SHA256SUMS")), (error) => {
      const { message } = error as Error;
      assert.match(message, new RegExp(`^Cannot fetch http://127.0.0.1:${place}/v9/SHA256SUMS: `));
      assert.doesNotMatch(message, /anna|pass-word|to-ken/);
      return true;
    });
  }
  assert.throws(() => releaseSource("https://a.example/x%zz.tar.gz?token=to-ken", "/"), {
    name: "CommandFailure",
    message: "https://a.example/x%zz.tar.gz is no address: a % stands for nothing",
  });
});
