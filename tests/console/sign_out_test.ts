/**
 * Signing out of the console, also where nobody can keep that: the browser is signed out in any case.
 *
 * @module
 */

import assert from "node:assert/strict";
import { AdminAccess } from "../../src/admin/base/access.ts";
import { ConsoleLinks, linksHere } from "../../src/admin/base/console_links.ts";
import { createConsole } from "../../src/console/console_app.tsx";
import { OWNER } from "../../src/domain/roles.ts";
import { GatewayError } from "../../src/errors.ts";
import type { EndedSession } from "../../src/storage/ports/shared_sign_ins.ts";
import { openTestAdmin } from "../admin/test_admin.ts";

const ORIGIN = "http://gateway.test";

/** A console, somebody who is signed in there, and a database that can be away. */
async function scene() {
  const test = await openTestAdmin();
  const { deps: admin, clock } = test;
  const links = new ConsoleLinks(linksHere(clock));
  const ended: EndedSession[] = [];
  const database = { isAway: false };
  const answer = <Result>(result: () => Result): Promise<Result> =>
    database.isAway
      ? Promise.reject(new GatewayError("storage_away", "The database does not answer"))
      : Promise.resolve(result());
  const console = createConsole({
    admin,
    links,
    access: new AdminAccess({ adminKey: undefined, tokens: admin.tokens, clock }),
    secret: new Uint8Array(32),
    ended: {
      end: (session) => answer(() => void ended.push(session)),
      hasEnded: ({ id }) => answer(() => ended.some((one) => one.id === id)),
    },
    adminKey: undefined,
    baseUrl: () => ORIGIN,
  });
  async function open(path: string, cookie = "", form?: Record<string, string>) {
    const request = new Request(`${ORIGIN}/console${path}`, {
      headers: { cookie, origin: ORIGIN },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    const response = await console(request, {
      identity: { requestId: "req_1" },
      remoteAddress: "127.0.0.1",
      api: undefined as never,
      readText: () => request.text(),
    });
    const [setCookie = ""] = response.headers.getSetCookie();
    return { status: response.status, text: await response.text(), setCookie };
  }
  const entered = await open("/enter", "", { code: await links.make(OWNER) });
  const [cookie] = entered.setCookie.split(";") as [string];
  const page = await open("/docs", cookie).catch(() => open("/nothing", cookie));
  const [, form_token] = /name="form_token" value="([^"]+)"/.exec(page.text)!;
  return {
    open,
    cookie,
    form: { form_token: form_token! },
    ended,
    database,
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
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
