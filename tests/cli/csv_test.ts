import assert from "node:assert/strict";
import { csvOf } from "../../src/cli/base/csv.ts";

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
