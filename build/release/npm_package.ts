/**
 * The npm package: the bundles, and Deno's own package to run them with, so that `npx tollgate`
 * serves wherever node is.
 *
 * @module
 */

import { ENGINE_FLAGS } from "../compile_program.ts";
import { BUNDLES, ROOT } from "../paths.ts";
import { PINNED_DENO } from "../toolchain.ts";
import { findComponents } from "./components.ts";
import { licenceFile } from "./licence_file.ts";
import { packFolder } from "./pack.ts";

/**
 * Starts Deno in the same terminal, with the permissions that the executable has. Its end is ours,
 * and a signal to us is one to it.
 */
const START = `#!/usr/bin/env node
"use strict";
const { spawn } = require("node:child_process");
const path = require("node:path");

const folder = path.join(__dirname, "bundle");
const installer = path.join(path.dirname(require.resolve("deno/package.json")), "install_api.cjs");
const deno = require(installer).runInstall();
const child = spawn(deno, [
  "run",
  "--quiet",
  "--no-prompt",
  "--config=" + path.join(folder, "deno.json"),
  "--permission-set=serve",
  "${ENGINE_FLAGS}",
  path.join(folder, "main.js"),
  ...process.argv.slice(2),
], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error("tollgate: Cannot start Deno: " + error.message);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
`;

/** Builds `tollgate-VERSION.tgz`, as `npm pack` would, of the bundles as they are, and names it. */
export async function npmPackage(
  out: string,
  { version, epoch }: { readonly version: string; readonly epoch: number },
): Promise<string> {
  const work = await Deno.makeTempDir({ prefix: "tollgate-npm-" });
  const folder = `${work}/package`;
  const name = `tollgate-${version}.tgz`;
  try {
    await Deno.mkdir(`${folder}/bundle/assets`, { recursive: true });
    await copyBundles(BUNDLES, `${folder}/bundle`);
    await copyBundles(`${BUNDLES}/assets`, `${folder}/bundle/assets`);
    const { permissions, unstable } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
    const config = {
      workspace: [],
      nodeModulesDir: "none",
      permissions: { serve: permissions.serve },
      unstable,
      lock: false,
    };
    await writeJson(`${folder}/bundle/deno.json`, config);
    await writeJson(`${folder}/package.json`, {
      name: "tollgate",
      version,
      description: "A gateway in front of many model providers",
      license: "MIT",
      bin: { tollgate: "tollgate.cjs" },
      engines: { node: ">=18" },
      dependencies: { deno: PINNED_DENO },
    });
    await Deno.writeTextFile(`${folder}/tollgate.cjs`, START, { mode: 0o755 });
    await Deno.copyFile(`${ROOT}/LICENSE`, `${folder}/LICENSE`);
    const licences = licenceFile(await findComponents(PINNED_DENO));
    await Deno.writeTextFile(`${folder}/THIRD_PARTY_LICENSES.txt`, licences);
    const readme = `# Tollgate\n\n    npx tollgate\n\nserves, and prints a first call.\n`;
    await Deno.writeTextFile(`${folder}/README.md`, readme);
    await packFolder(folder, `${out}/${name}`, epoch);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  return name;
}

/** Without the source maps, which are larger than what they are of. */
async function copyBundles(from: string, to: string): Promise<void> {
  for await (const { name, isFile } of Deno.readDir(from)) {
    if (isFile && !name.endsWith(".map") && name !== "deno.json") {
      await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
    }
  }
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(path, `${JSON.stringify(value, null, 2)}\n`);
}
