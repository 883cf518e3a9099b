/**
 * The container's image, built of `deploy/container` and run: as the user that it names, with its data
 * where it says, and asked how it is by its own check. No registry is asked: the base has a shell and
 * the libraries of this machine, and nothing else.
 *
 * @module
 */

import assert from "node:assert/strict";
import { programKind } from "../support/executable.ts";
import { needsTool, runTool, type ToolRun } from "../support/outside_tool.ts";
import { until } from "../support/until.ts";

const CAN_BUILD = {
  ignore: programKind !== "executable" || Deno.build.os !== "linux" ||
    needsTool("buildah", "ldd").ignore,
};
const BINARY = Deno.env.get("TOLLGATE_BINARY") ?? "";
/** What the image's own steps call. */
const PROGRAMS = ["/bin/sh", "/bin/mkdir", "/bin/chown", "/bin/chmod", "/usr/bin/id"];

Deno.test(
  "the image is built, serves as its own user, and writes to its data alone",
  CAN_BUILD,
  async () => {
    const folder = await Deno.makeTempDir({ prefix: "tollgate-container-" });
    // A store of its own, so that nothing of the machine's is seen or left; nothing is mounted over.
    const store = ["--storage-driver", "vfs", "--root", `${folder}/store`, "--runroot"];
    const buildah = (...args: readonly string[]) =>
      runTool("buildah", [...store, `${folder}/run`, ...args], { env: { HOME: folder } });
    try {
      await makeBase(`${folder}/base`);
      await Deno.writeTextFile(`${folder}/base.containerfile`, "FROM scratch\nCOPY . /\n");
      well(
        await buildah(
          ...["bud", "--isolation", "chroot", "-t", "base"],
          ...["-f", `${folder}/base.containerfile`, `${folder}/base`],
        ),
      );
      const release = `${folder}/release`;
      await Deno.mkdir(release);
      await Deno.copyFile(BINARY, `${release}/tollgate`);
      for (const name of ["LICENSE", "THIRD_PARTY_LICENSES.txt"]) {
        await Deno.copyFile("LICENSE", `${release}/${name}`);
      }
      const built = well(
        await buildah(
          ...["bud", "--isolation", "chroot", "--format", "docker", "-t", "tollgate"],
          ...["--build-arg", "BASE=localhost/base"],
          ...["-f", "deploy/container/Containerfile", release],
        ),
      );
      assert.doesNotMatch(built.stderr, /ignored|warn/i);
      const { Docker } = JSON.parse(
        well(await buildah("inspect", "--type", "image", "localhost/tollgate")).stdout,
      );
      const check: readonly string[] = Docker.config.Healthcheck.Test;
      assert.deepEqual(check.slice(0, 2), ["CMD", "/usr/local/bin/tollgate"]);
      assert.deepEqual(Docker.config.Entrypoint.concat(Docker.config.Cmd), [check[1], "serve"]);

      const container = well(await buildah("from", "localhost/tollgate")).stdout.trim();
      const inside = (...command: readonly string[]) =>
        buildah("run", "--isolation", "chroot", container, "--", ...command);
      assert.match(well(await inside("/usr/bin/id")).stdout, /^uid=10001 gid=10001 groups=10001$/m);

      const child = new Deno.Command("buildah", {
        args: [
          ...[...store, `${folder}/run`, "run", "--isolation", "chroot"],
          ...["--env", "TOLLGATE_LISTEN=127.0.0.1:0", container, "--"],
          ...Docker.config.Entrypoint.concat(Docker.config.Cmd),
        ],
        env: { HOME: folder },
        stdin: "null",
        stdout: "piped",
        stderr: "null",
      }).spawn();
      let said = "";
      const reading = (async () => {
        for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) said += piece;
      })();
      const [, base, key] = await until(
        "it says its key",
        () => /Base URL\s+(\S+)\s+Project key\s+(\S+)/.exec(said) ?? undefined,
      );
      const answer = await fetch(`${base}/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "echo-1", messages: [{ role: "user", content: "Hello" }] }),
      });
      assert.equal(answer.status, 200, await answer.text());
      assert.match(well(await inside(...check.slice(1))).stdout, /builtin/);
      child.kill("SIGTERM");
      await child.status;
      await reading;
      const refused = await inside("/bin/mkdir", "/usr/local/bin/of-its-own");
      assert.notEqual(refused.code, 0, "nothing but its data is its own");
      well(await inside("/bin/mkdir", "/var/lib/tollgate/of-its-own"));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

function well(run: ToolRun): ToolRun {
  assert.equal(run.code, 0, run.stderr);
  return run;
}

/** A tree with a shell, some programs and whatever they and the executable are linked to. */
async function makeBase(root: string): Promise<void> {
  const files = new Set(PROGRAMS);
  for (const program of [...PROGRAMS, BINARY]) {
    const { stdout } = well(await runTool("ldd", [program]));
    for (const [path] of stdout.matchAll(/\/\S+(?= \(0x)/g)) files.add(path);
  }
  for (const path of files) {
    await Deno.mkdir(`${root}${path.replace(/[^/]+$/, "")}`, { recursive: true });
    await Deno.copyFile(path, `${root}${path}`);
  }
  for (const name of ["etc", "tmp", "proc", "sys", "dev", "run"]) {
    await Deno.mkdir(`${root}/${name}`, { recursive: true });
  }
}
