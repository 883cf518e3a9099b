/**
 * Links that sign in at the console, and those who try codes by the thousand: these keep nobody waiting
 * for the database, whatever they try.
 *
 * @module
 */

import assert from "node:assert/strict";
import { OWNER } from "../../src/domain/roles.ts";
import { openTestConsole } from "./console_scene.ts";

/** Where links are kept that are asked for at one time, until they are let through. */
function slowLinks() {
  let asking = 0;
  let asked = 0;
  let most = 0;
  const gate = Promise.withResolvers<void>();
  return {
    keepLink: () => Promise.resolve(),
    async takeLink() {
      asked++;
      most = Math.max(most, ++asking);
      await gate.promise;
      asking--;
      return OWNER;
    },
    letThrough: () => gate.resolve(),
    get asked() {
      return asked;
    },
    get most() {
      return most;
    },
  };
}

Deno.test("what is no code of a link is asked of nobody", async () => {
  const kept = slowLinks();
  await using at = await openTestConsole(kept);
  const code = await at.links.make(OWNER);
  for (
    const odd of ["", "x", `${code}A`, code.slice(1), `${code.slice(1)}+`, `${code.slice(1)}\n`]
  ) {
    // As it is typed, and as whoever sends a form otherwise could.
    assert.equal(await at.links.use(odd), undefined, odd);
    const refused = await at.open("/enter", "", { code: odd });
    assert.equal(refused.status, 401, odd);
    assert.match(refused.text, /This link was used/);
  }
  assert.equal(kept.asked, 0);
  kept.letThrough();
  assert.equal((await at.open("/enter", "", { code })).status, 303);
  assert.equal(kept.asked, 1);
});

Deno.test("two codes are asked for at one time, a few wait, and others are refused at once", async () => {
  const kept = slowLinks();
  await using at = await openTestConsole(kept);
  const code = await at.links.make(OWNER);
  const enter = () => at.open("/enter", "", { code });
  const first = Array.from({ length: 12 }, enter);
  // They have all come once the last one is refused.
  const refused = await enter();
  assert.equal(refused.status, 429);
  assert.match(refused.text, /Too many links .* try again/);
  assert.equal(refused.headers.get("retry-after"), "1");
  assert.deepEqual([kept.asked, kept.most], [2, 2]);
  kept.letThrough();
  for (const { status } of await Promise.all(first)) assert.equal(status, 303);
  assert.deepEqual([kept.asked, kept.most], [12, 2]);
  assert.equal((await enter()).status, 303);
});
