import assert from "node:assert/strict";
import { csvOf } from "../../src/documents/csv.ts";

Deno.test("csvOf() quotes what needs it, and tells no formula", () => {
  assert.equal(
    csvOf([
      { project: "a,b", calls: 3, cost: "-1.50000000" },
      { project: 'say "hi"\n', tag: "=HYPERLINK(1)", cost: "+cmd" },
    ]),
    'project,calls,cost,tag\r\n"a,b",3,-1.50000000,\r\n"say ""hi""\n",,\'+cmd,\'=HYPERLINK(1)\r\n',
  );
  assert.equal(csvOf([]), "\r\n");
});

Deno.test("csvOf() quotes what a spreadsheet of another locale would split at", () => {
  assert.equal(
    csvOf([{ tag: "a;b", note: "a\tb", "x;y": "plain" }]),
    'tag,note,"x;y"\r\n"a;b","a\tb",plain\r\n',
  );
});

Deno.test("csvOf() tells formulas as text, and leaves every number a number", () => {
  const texts = [
    "=1+1",
    "+1",
    "-1+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "-",
    "--1",
    "-1e5",
  ];
  for (const text of texts) {
    const cell = csvOf([{ text }]).split("\r\n").slice(1).join("\r\n");
    assert.match(cell, /^"?'/, JSON.stringify(text));
  }
  const numbers = { calls: -3, cost: "-0.00000001", sale: "12.50000000", tiny: -1e-7 };
  assert.equal(csvOf([numbers]).split("\r\n")[1], "-3,-0.00000001,12.50000000,-1e-7");
});
