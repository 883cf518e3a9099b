/**
 * How many connections leave descriptors for everything else.
 *
 * @module
 */

import assert from "node:assert/strict";
import { connectionsWithinDescriptors } from "../../../src/http/listener/free_descriptors.ts";

const MODULE = new URL("../../../src/http/listener/free_descriptors.ts", import.meta.url).href;

Deno.test("connectionsWithinDescriptors() has no bound where descriptors are many, and closes what it opened", () => {
  for (let i = 0; i < 200; i++) assert.equal(connectionsWithinDescriptors(0, 20), undefined);
});

Deno.test("connectionsWithinDescriptors() leaves half of few descriptors to others", async () => {
  const code =
    `import { connectionsWithinDescriptors as count } from "${MODULE}"; console.log(count(), count());`;
  const script = `ulimit -n 256 && exec "$0" eval --no-lock --no-config '${code}'`;
  const { stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", script, Deno.execPath()],
    stdout: "piped",
    stderr: "piped",
  }).output();
  const [first, again] = new TextDecoder().decode(stdout).trim().split(" ").map(Number);
  assert.ok(first! > 50 && first! <= (256 - 64) / 2, new TextDecoder().decode(stderr));
  assert.equal(again, first);
});
