/**
 * What is built is what was locked: exact versions, a frozen lockfile, a checksum of
 * every package, and nothing that is fetched from elsewhere (LiteLLM 1.82.7).
 *
 * @module
 */

import assert from "node:assert/strict";
import { ROOT } from "../../build/paths.ts";
import { runCommand } from "../../build/run_command.ts";

const config = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
const members = await Promise.all(
  config.workspace.map(async (folder: string) =>
    JSON.parse(await Deno.readTextFile(`${ROOT}/${folder}/deno.json`))
  ),
);
const lock = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.lock`));

Deno.test("every dependency is one exact version from a package registry", () => {
  for (const { imports } of [config, ...members]) {
    for (const [name, specifier] of Object.entries(imports)) {
      assert.match(String(specifier), /^npm:\/?(?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+\/?$/, name);
    }
  }
});

Deno.test("the lockfile is frozen and has a checksum of every package", () => {
  assert.equal(config.lock.frozen, true);
  const packages = Object.entries(lock.npm) as [string, { integrity?: string }][];
  assert.ok(packages.length > 0);
  for (const [name, { integrity }] of packages) {
    assert.match(integrity ?? "", /^sha512-[A-Za-z0-9+/]{86}==$/, name);
  }
  assert.deepEqual(lock.remote ?? {}, {}, "no module is fetched from an address");
});

Deno.test("a dependency that is not in the lockfile is refused", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-lock-" });
  try {
    await Deno.writeTextFile(
      `${folder}/deno.json`,
      JSON.stringify({
        imports: { ...config.imports, commander: "npm:commander@15.0.0" },
        lock: config.lock,
      }),
    );
    await Deno.copyFile(`${ROOT}/deno.lock`, `${folder}/deno.lock`);
    await Deno.writeTextFile(`${folder}/main.ts`, `import "commander";\n`);
    const { success, stderr } = await runCommand(
      [Deno.execPath(), "cache", "--quiet", "main.ts"],
      { cwd: folder },
    );
    assert.equal(success, false);
    assert.match(stderr, /lockfile is out of date/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
