/**
 * Every fault of the table has a test, and every test that is named there is there.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ROOT } from "../../build/paths.ts";
import { ELSEWHERE, FAULTS } from "./faults.ts";

const FILES = [
  "streams_test.ts",
  "other_form_test.ts",
  "requests_test.ts",
  "money_test.ts",
  "errors_test.ts",
];

async function provenHere(): Promise<readonly number[]> {
  const texts = await Promise.all(
    FILES.map((file) => Deno.readTextFile(`${ROOT}/tests/faults/${file}`)),
  );
  const names = texts.join("\n").match(/Deno\.test\(\s*["`](?:#\d+ )+/g) ?? [];
  return names.flatMap((name) => name.match(/\d+/g)!.map(Number));
}

Deno.test("every fault of the table is shown not to be made", async () => {
  const numbers = Object.keys(FAULTS).map(Number);
  assert.deepEqual(numbers, Array.from({ length: 52 }, (_, at) => at + 1));
  const here = await provenHere();
  assert.deepEqual(here.filter((number) => FAULTS[number] === undefined), []);
  const proven = new Set([...here, ...Object.keys(ELSEWHERE).map(Number)]);
  assert.deepEqual(numbers.filter((number) => !proven.has(number)), []);
});

Deno.test("every test that the table names is where it says", async () => {
  for (const [number, tests] of Object.entries(ELSEWHERE)) {
    for (const [file, name] of tests) {
      const text = await Deno.readTextFile(`${ROOT}/${file}`);
      const isThere = [`"${name}`, `\`${name}`].some((start) => text.includes(start));
      assert.ok(isThere, `#${number}: ${file} has no test "${name}…"`);
    }
  }
});
