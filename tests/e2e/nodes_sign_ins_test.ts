/**
 * The console of two executables over one database, of which a balancer picks either for each request.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runTollgate } from "../support/executable.ts";
import { NEEDS_POSTGRES, postgresOfFile, startPostgres } from "../support/postgres_server.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

const server = postgresOfFile();

function open(node: ServedGateway, path: string, cookie: string, form?: Record<string, string>) {
  return fetch(`${node.url}/console${path}`, {
    redirect: "manual",
    headers: { cookie, origin: node.url },
    ...(form !== undefined && { method: "POST", body: new URLSearchParams(form) }),
  });
}

/** Where a page leads: "" when it is there. */
async function leadsTo(asked: Promise<Response>): Promise<string> {
  const response = await asked;
  await response.body?.cancel();
  return response.status === 200 ? "" : `${response.status} ${response.headers.get("location")}`;
}

/** The cookie and the form token of whoever signs in by a link. */
async function signIn(node: ServedGateway): Promise<{ cookie: string; form_token: string }> {
  const { url } = await node.cli("console");
  const entered = await open(node, "/enter", "", { code: new URL(url).searchParams.get("code")! });
  await entered.body?.cancel();
  const [cookie] = entered.headers.getSetCookie()[0]!.split(";") as [string];
  const page = await (await open(node, "/keys", cookie)).text();
  return { cookie, form_token: /name="form_token" value="([^"]+)"/.exec(page)![1]! };
}

Deno.test(
  "who signs in and out at the console of one node has done so at that of each",
  NEEDS_POSTGRES,
  async () => {
    await server.create("sign_ins");
    const env = { TOLLGATE_DATABASE_URL: server.url("sign_ins") };
    const dataDir = await Deno.makeTempDir({ prefix: "tollgate-node-" });
    await using _dir = { [Symbol.asyncDispose]: () => Deno.remove(dataDir, { recursive: true }) };
    await using first = await serveGateway({ env });
    await using second = await serveGateway({ dataDir, env, expectKey: false });

    const { url } = await first.cli("console");
    const code = new URL(url).searchParams.get("code")!;
    const enter = (node: ServedGateway) => open(node, "/enter", "", { code });
    const entered = await enter(second);
    await entered.body?.cancel();
    assert.equal(entered.status, 303);
    const [cookie] = entered.headers.getSetCookie()[0]!.split(";") as [string];
    // It is good for one of them.
    for (const node of [first, second]) {
      const again = await enter(node);
      assert.equal(again.status, 401);
      assert.match(await again.text(), /This link was used/);
    }
    const stored = await server.ask(
      "sign_ins",
      "SELECT json_agg(row_to_json(console_links))::text FROM console_links",
    );
    assert.doesNotMatch(stored, new RegExp(code));

    const page = await (await open(first, "/keys", cookie)).text();
    const form_token = /name="form_token" value="([^"]+)"/.exec(page)![1]!;
    assert.equal(await leadsTo(open(second, "/keys", cookie)), "");
    assert.equal(
      await leadsTo(open(first, "/leave", cookie, { form_token })),
      "303 /console/sign-in",
    );
    for (const node of [first, second]) {
      assert.match(await leadsTo(open(node, "/keys", cookie)), /^303 \/console\/sign-in/);
    }
    await second.server.stop();
    await using later = await serveGateway({ dataDir, env, expectKey: false });
    assert.match(await leadsTo(open(later, "/keys", cookie)), /^303 \/console\/sign-in/);
  },
);

Deno.test(
  "while the database is away the console says so, and signs the browser out all the same",
  NEEDS_POSTGRES,
  async () => {
    await using own = await startPostgres({ isSynced: true });
    await own.create("away");
    await using node = await serveGateway({ env: { TOLLGATE_DATABASE_URL: own.url("away") } });
    const { cookie, form_token } = await signIn(node);
    await own.crash();
    const page = await open(node, "/keys", cookie);
    assert.equal(page.status, 503);
    assert.match(await page.text(), /database does not answer/);
    const left = await open(node, "/leave", cookie, { form_token });
    assert.equal(left.status, 503);
    assert.match(await left.text(), /database does not answer .* signed out in this browser/);
    assert.match(left.headers.getSetCookie()[0]!, /^tollgate_console=; Max-Age=0/);
    await own.start();
    await until("the database to be back", async () => {
      return await leadsTo(open(node, "/leave", cookie, { form_token })) === "303 /console/sign-in";
    });
    assert.match(await leadsTo(open(node, "/keys", cookie)), /^303 \/console\/sign-in/);
  },
);

Deno.test(
  "whoever has signed out of a gateway stays out once its content is on a server",
  NEEDS_POSTGRES,
  async () => {
    await server.create("moved");
    const env = { TOLLGATE_DATABASE_URL: server.url("moved") };
    await using alone = await serveGateway();
    const { dataDir } = alone.server;
    const [left, stays] = [await signIn(alone), await signIn(alone)];
    const { cookie, form_token } = left;
    assert.equal(
      await leadsTo(open(alone, "/leave", cookie, { form_token })),
      "303 /console/sign-in",
    );
    await alone.server.stop();
    const args = ["move", "--to", "env:THERE", "--data-dir", dataDir];
    const moved = await runTollgate(args, { env: { THERE: server.url("moved") } });
    assert.equal(moved.code, 0, moved.stderr);
    await using node = await serveGateway({ dataDir, env, expectKey: false });
    assert.match(await leadsTo(open(node, "/keys", cookie)), /^303 \/console\/sign-in/);
    assert.equal(await leadsTo(open(node, "/keys", stays.cookie)), "");
  },
);
