/**
 * Signing out of the console, also where nobody can keep that: the browser is signed out in any case.
 *
 * @module
 */

import assert from "node:assert/strict";
import { OWNER } from "../../src/domain/roles.ts";
import { openTestConsole } from "./console_scene.ts";

/** A console, and somebody who is signed in there. */
async function scene() {
  const console = await openTestConsole();
  const { open, links, ended, database } = console;
  const entered = await open("/enter", "", { code: await links.make(OWNER) });
  const [cookie] = entered.setCookie.split(";") as [string];
  const page = await open("/keys", cookie);
  const [, form_token] = /name="form_token" value="([^"]+)"/.exec(page.text)!;
  return {
    ...{ open, cookie, ended, database },
    form: { form_token: form_token! },
    [Symbol.asyncDispose]: () => console[Symbol.asyncDispose](),
  };
}

const DELETED = /^tollgate_console=; Max-Age=0; Path=\/console/;

Deno.test("whoever signs out is out, by an own form alone, and may do so again", async () => {
  await using at = await scene();
  const forged = await at.open("/leave", at.cookie, { form_token: "another" });
  assert.equal(forged.status, 400);
  assert.match(forged.text, /This form is of another session/);
  assert.deepEqual([forged.setCookie, at.ended], ["", []]);
  for (let time = 0; time < 2; time++) {
    const left = await at.open("/leave", at.cookie, at.form);
    assert.equal(left.status, 303);
    assert.match(left.setCookie, DELETED);
    assert.equal((await at.open("/keys", at.cookie)).status, 303);
  }
  assert.equal((await at.open("/leave", "", at.form)).status, 303);
});

Deno.test("while the database is away pages say so, and signing out deletes the cookie", async () => {
  await using at = await scene();
  at.database.isAway = true;
  const page = await at.open("/keys", at.cookie);
  assert.equal(page.status, 503);
  assert.match(page.text, /The database does not answer/);
  assert.equal(page.setCookie, "");
  const left = await at.open("/leave", at.cookie, at.form);
  assert.equal(left.status, 503);
  assert.match(left.setCookie, DELETED);
  assert.match(left.text, /The database does not answer/);
  assert.match(left.text, /signed out in this browser/);
  assert.match(left.text, /copy of its cookie/);
  at.database.isAway = false;
  assert.equal((await at.open("/keys", at.cookie)).status, 200);
});
