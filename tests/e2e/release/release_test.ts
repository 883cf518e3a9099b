/**
 * `deno task release` for this machine, as somebody who downloads it finds it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { needsTool, runTool } from "../../support/outside_tool.ts";
import { programKind } from "../../support/executable.ts";

const CAN_RELEASE = {
  ignore: programKind !== "executable" || Deno.build.target !== "x86_64-unknown-linux-gnu" ||
    needsTool("minisign", "tar", "sha256sum", "dpkg-deb").ignore,
};

/** The build reads its cache and its tools as it always does. */
function release(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const own = Object.entries(Deno.env.toObject()).filter(([name]) => !name.startsWith("TOLLGATE_"));
  return runTool(Deno.execPath(), ["task", "--quiet", "release", ...args], {
    env: { ...Object.fromEntries(own), ...env },
  });
}

Deno.test("a release is signed, complete and the same every time", CAN_RELEASE, async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-release-" });
  try {
    await runTool("minisign", ["-G", "-W", "-p", "key.pub", "-s", "key.sec"], { cwd: folder });
    const args = ["--dirty", "--sign", "--target", Deno.build.target, "--out"];
    const outs = [`${folder}/one`, `${folder}/further/down/two`];
    const key = { TOLLGATE_RELEASE_KEY_FILE: `${folder}/key.sec` };
    const zones = ["Asia/Tokyo", "America/Lima"];
    for (const [index, out] of outs.entries()) {
      const { code, stderr } = await release([...args, out], { ...key, TZ: zones[index]! });
      assert.equal(code, 0, stderr);
    }
    const [sums = "", again] = await Promise.all(
      outs.map((out) => Deno.readTextFile(`${out}/SHA256SUMS`)),
    );
    assert.equal(again, sums);

    const cwd = outs[0]!;
    const pub = ["-p", `${folder}/key.pub`];
    const signed = await runTool("minisign", ["-V", "-m", "SHA256SUMS", ...pub], { cwd });
    assert.equal(signed.code, 0, signed.stderr);
    const summed = await runTool("sha256sum", ["-c", "SHA256SUMS"], { cwd });
    assert.equal(summed.code, 0, summed.stderr);
    const archive = /\S+\.tar\.gz/.exec(sums)![0];
    await runTool("tar", ["xzf", archive], { cwd });
    const unpacked = `${cwd}/${archive.replace(".tar.gz", "")}`;
    const version = await runTool(`${unpacked}/tollgate`, ["version", "--json"]);
    assert.equal(JSON.parse(version.stdout).standalone, true);
    const debian = /tollgate_\S+_amd64\.deb/.exec(sums)![0];
    await runTool("dpkg-deb", ["-x", debian, "tree"], { cwd });
    const packaged = await runTool(`${cwd}/tree/usr/bin/tollgate`, ["version", "--json"]);
    assert.equal(packaged.stdout, version.stdout);
    const unit = await Deno.readTextFile(`${cwd}/tree/lib/systemd/system/tollgate.service`);
    assert.match(unit, /^ExecStart=\/usr\/bin\/tollgate serve$/m);
    assert.match(unit, /^EnvironmentFile=-\/etc\/default\/tollgate$/m);
    assert.match(sums, /tollgate-\S+\.tgz$/m);
    const licences = await Deno.readTextFile(`${unpacked}/THIRD_PARTY_LICENSES.txt`);
    for (const part of ["deno", "v8", "sqlite", "hono", "zod", "h264-mp4-encoder", "uplot"]) {
      assert.match(licences, new RegExp(`^ {2}${part} [\\d.]+ \\(`, "m"));
    }
    assert.doesNotMatch(licences, /axe-core|openai/, "what only tests use");
    const { code } = await runTool("bash", ["-n", `${unpacked}/completions/tollgate.bash`]);
    assert.equal(code, 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a release says why it cannot be, before anything is built", CAN_RELEASE, async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-release-" });
  try {
    for (
      const [args, why] of [
        [["--sign", "--dirty"], /Cannot sign: no key is given\. Set TOLLGATE_RELEASE_KEY_FILE/],
        [["--target", "vax"], /There is no target 'vax': there are x86_64-unknown-linux-gnu, /],
      ] as const
    ) {
      const { code, stderr, stdout } = await release([...args, "--out", `${folder}/out`]);
      assert.equal(code, 1);
      assert.match(stderr, why);
      assert.equal(stdout, "");
      await assert.rejects(Deno.stat(`${folder}/out`), Deno.errors.NotFound);
    }
    await Deno.writeTextFile(`${folder}/old`, "");
    const { stderr } = await release(["--dirty", "--out", folder]);
    assert.match(stderr, /Cannot release into .*: it is not empty/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
