/**
 * Tables and facts as text.
 *
 * @module
 */

import assert from "node:assert/strict";
import { formatFacts, formatTable, printable } from "../../src/cli/base/table.ts";

const PLAIN = { colors: false };

Deno.test("formatTable() aligns columns and leaves no blanks at line ends", () => {
  const text = formatTable([{ id: "a", n: 5 }, { id: "long", n: 1000 }], [
    { header: "N", value: ({ n }) => n, align: "right" },
    { header: "ID", value: ({ id }) => id },
  ], PLAIN);
  assert.equal(text, "   N  ID\n   5  a\n1000  long\n");
});

Deno.test("formatFacts() aligns names", () => {
  assert.equal(formatFacts([["a", "1"], ["long", "2"]]), "a     1\nlong  2\n");
});

Deno.test("text from outside cannot steer the terminal", () => {
  const evil = "a\u001b[2Jb\nc\u009bd\u202e";
  assert.equal(printable(evil), "a\\u001b[2Jb\\u000ac\\u009bd\\u202e");
  const table = formatTable([{ evil }], [{ header: "X", value: (row) => row.evil }], PLAIN);
  assert.equal(table.split("\n").length, 3);
});
