import assert from "node:assert/strict";
import { folderOf } from "../../src/config/surroundings.ts";

Deno.test("folderOf() follows links, and knows the folder of a program that was replaced", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "tollgate-surroundings-" }));
  try {
    await Deno.mkdir(`${folder}/real`);
    await Deno.writeTextFile(`${folder}/real/tollgate`, "");
    await Deno.symlink(`${folder}/real/tollgate`, `${folder}/linked`);
    assert.equal(folderOf(`${folder}/linked`), `${folder}/real`);
    // What Linux calls a running program whose file is gone.
    assert.equal(folderOf(`${folder}/real/old (deleted)`), `${folder}/real`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
