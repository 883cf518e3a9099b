/**
 * The rows of the scorecard are whole, and the mistakes they are there to find can still be made.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ROOT } from "../../build/paths.ts";
import { loadRow, rowIds } from "./scorecard.ts";
import { crashPoints } from "./test_build/crash_points.ts";
import { edited } from "./test_build/source_patch.ts";

const rows = await Promise.all((await rowIds()).map(loadRow));

Deno.test("rowIds() gives the rows in the order of the table", async () => {
  const ids = await rowIds();
  assert.ok(ids.indexOf("R12") < ids.indexOf("R13"));
  assert.ok(ids.indexOf("R17") < ids.indexOf("D1"));
  assert.equal(new Set(ids).size, ids.length);
});

Deno.test("loadRow() names the rows there are when there is no such row", async () => {
  await assert.rejects(loadRow("R99"), /^Error: Cannot find the row R99: there is .*R12/);
});

Deno.test("every patch of a row has a name of its own and fits the source", async () => {
  const ofRows = rows.flatMap(({ seededBug, testBuild = [], laterBuild = [] }) => [
    ...[seededBug, ...testBuild, ...laterBuild],
  ]);
  const patches = new Set([crashPoints, ...ofRows]);
  const names = [...patches].map(({ name }) => name);
  assert.deepEqual(names.filter((name) => !/^[a-z0-9_]+$/.test(name)), []);
  assert.equal(new Set(names).size, names.length, "two patches have the same name");
  for (const { name, edits } of patches) {
    assert.ok(edits.length > 0, name);
    for (const edit of edits) {
      const text = await Deno.readTextFile(`${ROOT}/${edit.file}`);
      assert.notEqual(edited(text, { name, edit }), text, name);
    }
  }
});
