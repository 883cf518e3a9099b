/**
 * @module
 */

import assert from "node:assert/strict";
import { applyPatch, type SourceEdit } from "./source_patch.ts";

async function patched(text: string, edits: readonly SourceEdit[]): Promise<string> {
  const root = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${root}/a.ts`, text);
    await applyPatch(root, { name: "bug", says: "it is wrong", edits });
    return await Deno.readTextFile(`${root}/a.ts`);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("applyPatch() makes each edit in turn, and takes what replaces as it is", async () => {
  const edits = [
    { file: "a.ts", find: "one()", replace: "two($&)" },
    { file: "a.ts", find: "two(", replace: "three(" },
    { file: "a.ts", add: "function three() {}" },
  ];
  assert.equal(await patched("a = one( ) + 1;", edits), "a = three($&) + 1;\nfunction three() {}");
});

Deno.test("applyPatch() fails when the text is not there exactly once", async () => {
  const edit = (find: string) => [{ file: "a.ts", find, replace: "x" }];
  await assert.rejects(patched("one one", edit("one")), /'bug' to a\.ts: .* is there 2 times/);
  await assert.rejects(patched("one one", edit("two")), /is there 0 times and must be there once/);
  await assert.rejects(patched("one", edit("")), /is there 0 times/);
});
