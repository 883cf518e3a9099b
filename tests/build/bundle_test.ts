/**
 * Worker entries are found by their name and get a bundle of their own.
 *
 * @module
 */

import assert from "node:assert/strict";
import { findWorkerEntries, workerBundleName } from "../../build/bundle.ts";

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

async function readSources(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) texts.push(...await readSources(path));
    else texts.push(await Deno.readTextFile(path));
  }
  return texts;
}
