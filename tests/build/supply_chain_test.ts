/**
 * What is built is what was locked: exact versions, a frozen lockfile, a checksum of
 * every package, and nothing that is fetched from elsewhere (LiteLLM 1.82.7).
 *
 * @module
 */

import assert from "node:assert/strict";
import { ROOT } from "../../build/paths.ts";
import { runCommand } from "../../build/run_command.ts";

const config = await readJson("deno.json");
const renderer = await readJson("render/deno.json");
const tests = await readJson("tests/deno.json");
const lock = await readJson("deno.lock");
const testsLock = await readJson("tests/deno.lock");

Deno.test("every dependency is one exact version from a package registry", () => {
  for (const { imports } of [config, renderer, tests]) {
    for (const [name, specifier] of Object.entries(imports)) {
      if (name.startsWith("@tollgate/")) continue;
      assert.match(String(specifier), /^npm:\/?(?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+\/?$/, name);
    }
  }
});

Deno.test("the lockfiles are frozen and have a checksum of every package", () => {
  for (const [{ lock: { frozen } }, { npm, remote }] of [[config, lock], [tests, testsLock]]) {
    assert.equal(frozen, true);
    const packages = Object.entries(npm) as [string, { integrity?: string }][];
    assert.ok(packages.length > 0);
    for (const [name, { integrity }] of packages) {
      assert.match(integrity ?? "", /^sha512-[A-Za-z0-9+/]{86}==$/, name);
    }
    assert.deepEqual(remote ?? {}, {}, "no module is fetched from an address");
  }
});

Deno.test("the program's lockfile, all of which `deno task` fetches, has the program's packages alone", () => {
  const own = Object.values<string>({ ...config.imports, ...renderer.imports });
  assert.deepEqual(
    Object.keys(lock.specifiers).sort(),
    own.map((specifier) => specifier.replace(/^npm:\/?(.*?)\/?$/, "npm:$1")).sort()
      .filter((specifier, at, all) => specifier !== all[at - 1]),
  );
});

Deno.test("the tests have the program as it is: its packages, its options, what they may do", () => {
  const { imports, lock: _, permissions: { test }, ...options } = tests;
  for (const [name, specifier] of Object.entries({ ...config.imports, ...renderer.imports })) {
    assert.equal(imports[name], specifier, name);
  }
  for (const [name, exported] of Object.entries<string>(renderer.exports)) {
    assert.equal(imports[name.replace(".", renderer.name)], exported.replace(".", "../render"));
  }
  for (const [specifier, version] of Object.entries(lock.specifiers)) {
    assert.equal(testsLock.specifiers[specifier], version, specifier);
  }
  for (const [name, entry] of Object.entries(lock.npm)) {
    assert.deepEqual(testsLock.npm[name], entry, name);
  }
  assert.deepEqual(test, config.permissions.test);
  for (const [name, value] of Object.entries(options)) assert.deepEqual(value, config[name], name);
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

// deno-lint-ignore no-explicit-any -- what a test looks at, it names
async function readJson(path: string): Promise<any> {
  return JSON.parse(await Deno.readTextFile(`${ROOT}/${path}`));
}
