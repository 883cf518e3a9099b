/**
 * Worker entries are found by their name and get a bundle of their own.
 *
 * @module
 */

import assert from "node:assert/strict";
import { bundleEntry, findWorkerEntries, inParts, workerBundleName } from "../../build/bundle.ts";
import { runCommand } from "../../build/run_command.ts";

Deno.test("workerBundleName() names a bundle after its path", () => {
  assert.equal(workerBundleName("src/storage/sqlite/worker.ts"), "storage_sqlite_worker.js");
  assert.equal(workerBundleName("render/worker.ts"), "render_worker.js");
});

Deno.test("findWorkerEntries() finds nothing but worker.ts files", async () => {
  for (const entry of await findWorkerEntries()) {
    assert.match(entry, /^(src|render)\/(.+\/)?worker\.ts$/);
  }
});

Deno.test("every Worker is started from its own bundle's name", async () => {
  const sources = [...await readSources("src"), ...await readSources("render")];
  for (const entry of await findWorkerEntries()) {
    const name = workerBundleName(entry);
    assert.ok(sources.some((text) => text.includes(`"./${name}"`)), `nothing starts ${name}`);
  }
});

Deno.test("what is loaded on demand is cut off the entry's file, and read when it is asked for", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-bundle-" });
  try {
    const sources = {
      "entry.ts": `import { both } from "./both.ts";
        const said = [both()];
        said.push((await import("./rare.ts")).rare());
        console.log(said.join());`,
      "both.ts": `export const both = () => "both";`,
      "rare.ts": `import { both } from "./both.ts";
        import rows from "./rows.json" with { type: "json" };
        export const rare = () => [both(), ...rows].join();`,
      "rows.json": `["far away"]`,
    };
    for (const [name, text] of Object.entries(sources)) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    await bundleEntry(`${folder}/entry.ts`, inParts(`${folder}/out`));
    const entry = await Deno.readTextFile(`${folder}/out/entry.js`);
    assert.ok(!entry.includes("far away"), "what is loaded on demand is in the entry's file");
    const run = [
      Deno.execPath(),
      "run",
      "--quiet",
      "--no-config",
      `${folder}/out/entry.js`,
    ] as const;
    assert.equal((await runCommand([...run])).stdout.trim(), "both,both,far away");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

async function readSources(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) texts.push(...await readSources(path));
    else texts.push(await Deno.readTextFile(path));
  }
  return texts;
}
