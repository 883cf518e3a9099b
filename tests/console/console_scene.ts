/**
 * The console by itself, over a gateway's parts in this process, and a database of sessions that can be
 * away.
 *
 * @module
 */

import { AdminAccess } from "../../src/admin/base/access.ts";
import { ConsoleLinks, type KeptLinks, linksHere } from "../../src/admin/base/console_links.ts";
import { createConsole } from "../../src/console/console_app.tsx";
import { GatewayError } from "../../src/errors.ts";
import type { EndedSession } from "../../src/storage/ports/shared_sign_ins.ts";
import { openTestAdmin } from "../admin/test_admin.ts";

const ORIGIN = "http://gateway.test";

/** What a browser has of an answer. */
export interface Opened {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** As it is set; "" where none is. */
  readonly setCookie: string;
}

/** A console without a listener. `await using` closes what is behind it. */
export interface TestConsole extends AsyncDisposable {
  readonly links: ConsoleLinks;
  /** Sessions that were ended. */
  readonly ended: readonly EndedSession[];
  readonly database: { isAway: boolean };
  /** Opens a page, or sends a form there. */
  open(path: string, cookie?: string, form?: Record<string, string>): Promise<Opened>;
}

/** @param kept Where links are kept; in memory unless given. */
export async function openTestConsole(kept?: KeptLinks): Promise<TestConsole> {
  const test = await openTestAdmin();
  const { deps: admin, clock } = test;
  const links = new ConsoleLinks(kept ?? linksHere(clock));
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
  async function open(path: string, cookie = "", form?: Record<string, string>): Promise<Opened> {
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
    const { status, headers } = response;
    const [setCookie = ""] = headers.getSetCookie();
    return { status, text: await response.text(), headers, setCookie };
  }
  return {
    links,
    ended,
    database,
    open,
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}
