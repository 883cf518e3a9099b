/**
 * A start from source fetches what the program imports, and neither the clients that only tests use
 * nor the renderer's packages, which the first film fetches.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ROOT } from "../../build/paths.ts";
import { runCommand } from "../../build/run_command.ts";

const { imports } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));

Deno.test("a start from source needs no package but the program's own", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-start-" });
  try {
    await copyPackages(`${folder}/cache/npm`, Object.values<string>(imports).map(packageName));
    const server = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--quiet", "--cached-only", "-P=serve", "--no-prompt", "main.ts"],
        ...["serve", "--listen=127.0.0.1:0", `--data-dir=${folder}/data`],
      ],
      cwd: ROOT,
      env: { DENO_DIR: `${folder}/cache`, NO_COLOR: "1" },
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const stderr = new Response(server.stderr).text();
    let said = "";
    for await (const text of server.stdout.pipeThrough(new TextDecoderStream())) {
      said += text;
      if (said.includes("Base URL")) break;
    }
    const isUp = said.includes("Base URL");
    if (isUp) server.kill("SIGTERM");
    await server.status;
    assert.ok(isUp, await stderr);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Puts packages that are cached on this machine into an empty cache. */
async function copyPackages(npmCache: string, names: readonly string[]): Promise<void> {
  const { stdout } = await runCommand([Deno.execPath(), "info", "--json"]);
  const own: string = JSON.parse(stdout).npmCache;
  for await (const { name: registry } of Deno.readDir(own)) {
    for (const name of names) {
      const from = `${own}/${registry}/${name}`;
      if (!await Deno.stat(from).then(() => true, () => false)) continue;
      const to = `${npmCache}/${registry}/${name}`;
      await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true });
      await runCommand(["cp", "-R", from, to.slice(0, to.lastIndexOf("/"))]);
    }
  }
}

/** `npm:/hono@4.13.19/` → `hono` */
function packageName(specifier: string): string {
  return /^npm:\/?((?:@[^/]+\/)?[^@]+)@/.exec(specifier)![1]!;
}
