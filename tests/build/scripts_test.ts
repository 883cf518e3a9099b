/**
 * Bundles become scripts whose compiled code can be kept: with the same meaning, and without it where
 * it does not fit.
 *
 * @module
 */

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import vm from "node:vm";
import { crc32, gzipSync } from "node:zlib";
import { cacheHeader } from "../../build/scripts/cache_header.ts";
import { classicPart, classicScript } from "../../build/scripts/classic_part.ts";
import { groupParts } from "../../build/scripts/group_parts.ts";
import { type ScriptIndex, ScriptLoader } from "../../build/scripts/script_loader.ts";

const MAIN = `import path, { sep as slash } from "node:path";
import {
  twice as double,
  word
} from "./chunk-1.js";
import "./chunk-1.js";
globalThis.heard = [double(word), path.join("a", "b"), slash, import.meta.url];
await Promise.resolve();
globalThis.heard.push((await import("./rare-2.js")).default);
globalThis.heard.push(setTimeout, "ä 🦊");
globalThis.heardOf = import.meta.startCaches();
`;
const CHUNK = `var word = "x";
function twice(text) {
  return text + text;
}
export {
  twice,
  word
};
`;
const RARE = `import * as all from "./chunk-1.js";
var rare = Object.keys(all).join();
export { rare as default };
`;

/** A program of these parts; what it notes is in `heard`. */
async function runProgram(cacheOf: (text: string) => Uint8Array | undefined) {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-scripts-" });
  try {
    await Deno.mkdir(`${folder}/scripts`);
    // Another text each time, as the engine knows again what it has compiled.
    const text = classicScript([
      ["main.js", classicPart("main.js", MAIN, true)],
      ["chunk-1.js", classicPart("chunk-1.js", CHUNK)],
    ]) + `// ${crypto.randomUUID()}`;
    await Deno.writeTextFile(`${folder}/scripts/main.txt`, text);
    const rare = gzipSync(classicScript([["rare-2.js", classicPart("rare-2.js", RARE)]]));
    await Deno.writeFile(`${folder}/scripts/rare-2.js.gz`, rare);
    const cache = cacheOf(text);
    if (cache !== undefined) await Deno.writeFile(`${folder}/scripts/main.cache`, cache);
    const index: ScriptIndex = {
      scripts: { main: ["main.js", "chunk-1.js"] },
      cached: cache === undefined ? [] : ["main"],
    };
    const url = pathToFileURL(`${folder}/main.js`).href;
    await new ScriptLoader(url, index).run("main.js");
    const { heard, heardOf } = globalThis as unknown as {
      readonly heard: readonly unknown[];
      readonly heardOf: unknown;
    };
    assert.deepEqual(heard, ["xx", "a/b", "/", url, "twice,word", setTimeout, "ä 🦊"]);
    return heardOf;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function withHeader(cache: Uint8Array, checksum = crc32(cache)): Uint8Array {
  return new Uint8Array([...new TextEncoder().encode(cacheHeader(checksum)), ...cache]);
}

Deno.test("parts mean what the modules did, and are read when they are asked for", async () => {
  assert.deepEqual(await runProgram(() => undefined), {});
});

Deno.test("what is compiled already is taken where it fits, and left where it does not", async () => {
  const cacheOf = (text: string) => new vm.Script(text, { filename: "main.js" }).createCachedData();
  assert.deepEqual(await runProgram((text) => withHeader(cacheOf(text))), { main: "taken" });
  const ofAnother = (text: string) => withHeader(cacheOf(`${text} and more`));
  assert.deepEqual(await runProgram(ofAnother), { main: "refused" });
  const damaged = (text: string) => {
    const cache = withHeader(cacheOf(text));
    cache[cache.length >> 1]! ^= 1;
    return cache;
  };
  assert.deepEqual(await runProgram(damaged), { main: "refused" });
  assert.deepEqual(await runProgram(() => new Uint8Array(64)), { main: "refused" });
});

Deno.test("a part keeps its lines", () => {
  const lines = classicPart("main.js", MAIN, true).split("\n");
  const at = (text: string) => MAIN.split("\n").findIndex((line) => line.includes(text));
  assert.ok(lines[at("globalThis.heard = ") + 1]!.startsWith("globalThis.heard = "));
});

Deno.test("what a part cannot do is refused when it is made", () => {
  const changed =
    "var count = 0;\nfunction add() {\n  count += 1;\n}\nexport {\n  add,\n  count\n};\n";
  assert.throws(() => classicPart("x.js", changed), /count, which it exports, is set again/);
  assert.throws(() => classicPart("x.js", "export default 1;\n"), /it has export default 1;/);
  assert.throws(() => classicPart("x.js", "var $part;\n"), /it has \$part/);
});

Deno.test("groupParts() puts together what starts load, and nothing that they load on demand", () => {
  const bundles = new Map([
    ["main.js", 'import { a } from "./chunk-1.js";\nawait import("./serve-2.js");\n'],
    ["chunk-1.js", "export { a };\n"],
    ["serve-2.js", 'import {\n  a\n} from "./chunk-1.js";\nimport "./chunk-3.js";\n'],
    ["chunk-3.js", 'await import("./rare-5.js");\nawait import("./assemble_core-6.js");\n'],
    ["assemble_core-6.js", 'import "./chunk-3.js";\nimport "./chunk-7.js";\n'],
    ["chunk-7.js", ""],
    ["start_server-8.js", 'import "./chunk-7.js";\n'],
    ["version-4.js", 'import { a } from "./chunk-1.js";\n'],
    ["rare-5.js", ""],
    ["storage_sqlite_worker.js", ""],
  ]);
  assert.deepEqual(groupParts(bundles), {
    main: ["main.js", "chunk-1.js", "version-4.js"],
    serve: ["serve-2.js", "chunk-3.js"],
    core: ["assemble_core-6.js", "chunk-7.js", "start_server-8.js"],
    "storage_sqlite_worker.js": ["storage_sqlite_worker.js"],
  });
  bundles.delete("version-4.js");
  assert.throws(() => groupParts(bundles), /no bundle of version/);
});
