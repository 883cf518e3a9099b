/**
 * Signing in at the console by OpenID Connect, over HTTP, with an issuer that tells the truth and one
 * that does not.
 *
 * @module
 */

import assert from "node:assert/strict";
import { listAudit } from "../../../src/admin/operations.ts";
import { createProject } from "../../../src/admin/accounts/projects.ts";
import { runOperation } from "../../../src/admin/base/run_operation.ts";
import type { OidcSettings } from "../../../src/domain/oidc.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import {
  type Manners,
  type ScriptedIssuer,
  startScriptedIssuer,
} from "../../support/scripted_issuer.ts";
import { until } from "../../support/until.ts";

const SECRET = "a secret of the client: 100%";

interface Scene extends AsyncDisposable {
  readonly issuer: ScriptedIssuer;
  readonly gateway: TestGateway;
}

async function startScene(settings: Partial<OidcSettings> = {}): Promise<Scene> {
  const issuer = startScriptedIssuer();
  const gateway = await startTestGateway({
    secrets: { OIDC_SECRET: SECRET },
    oidc: {
      issuer: issuer.url,
      clientId: "tollgate",
      clientSecret: "env:OIDC_SECRET",
      scopes: "openid email",
      roles: [
        { claim: "groups", value: "admins", rights: { role: "owner" } },
        { claim: "groups", value: "shop", rights: { role: "member", project: "shop" } },
        { claim: "realm_access.roles", value: "finance", rights: { role: "viewer" } },
        { claim: "email", value: "boss@example.com", rights: { role: "owner" } },
        { claim: "groups", value: "staff", rights: { role: "viewer" } },
      ],
      ...settings,
    },
  });
  return {
    issuer,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
    },
  };
}

interface Answer {
  readonly status: number;
  readonly location: string;
  readonly text: string;
  /** By name. */
  readonly cookies: ReadonlyMap<string, string>;
  readonly setCookies: readonly string[];
}

async function get(gateway: TestGateway, path: string, cookie = ""): Promise<Answer> {
  const answer = await fetch(`${gateway.url}${path}`, { redirect: "manual", headers: { cookie } });
  const setCookies = answer.headers.getSetCookie();
  return {
    status: answer.status,
    location: answer.headers.get("location") ?? "",
    text: (await answer.text()).replaceAll("&#39;", "'").replaceAll("&quot;", '"'),
    setCookies,
    cookies: new Map(setCookies.map((one) => {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(one)!;
      return [name!, value!];
    })),
  };
}

/** Goes to the issuer; with the cookie that comes back. */
async function begin({ gateway }: Scene, next?: string) {
  const query = next === undefined ? "" : `?next=${encodeURIComponent(next)}`;
  const sent = await get(gateway, `/console/oidc${query}`);
  assert.equal(sent.status, 303, sent.text);
  return {
    address: sent.location,
    cookie: `tollgate_oidc=${sent.cookies.get("tollgate_oidc")}`,
    sent,
  };
}

function callback(address: string, code: string): string {
  const state = new URL(address).searchParams.get("state")!;
  return `/console/oidc/callback?${new URLSearchParams({ state, code })}`;
}

async function signIn(scene: Scene, manners: Manners = {}, next?: string): Promise<Answer> {
  scene.issuer.manners = manners;
  const { address, cookie } = await begin(scene, next);
  return await get(scene.gateway, callback(address, scene.issuer.approve(address)), cookie);
}

function assertOut(answer: Answer, status: number, said: RegExp): void {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.text, /<main class="entry">/);
  assert.match(answer.text, said);
  assert.ok(!answer.cookies.has("tollgate_console"), "a session began");
  assert.ok(!answer.text.includes(SECRET) && !answer.text.includes("an-access-token"));
}

const sessionOf = (answer: Answer) => `tollgate_console=${answer.cookies.get("tollgate_console")}`;

async function signInRows({ admin: deps }: TestGateway) {
  const { data } = await runOperation(listAudit, { deps, input: {} });
  return data.filter(({ operation }) => operation.startsWith("console."));
}

Deno.test("somebody of a group signs in, lands on the page he asked for, and is named", async () => {
  await using scene = await startScene();
  const { gateway, issuer } = scene;
  const asked = await get(gateway, "/console/keys?project=default");
  assert.equal(asked.location, "/console/sign-in?next=%2Fconsole%2Fkeys%3Fproject%3Ddefault");
  const page = await get(gateway, asked.location);
  const [, link] = /href="(\/console\/oidc[^"]*)"/.exec(page.text)!;
  assert.match(page.text, /Sign in with 127\.0\.0\.1:/);
  const sent = await get(gateway, link!);
  const { searchParams, origin, pathname } = new URL(sent.location);
  assert.equal(origin + pathname, `${issuer.url}/auth`);
  assert.equal(searchParams.get("redirect_uri"), `${gateway.url}/console/oidc/callback`);
  assert.equal(searchParams.get("code_challenge_method"), "S256");
  assert.equal(searchParams.get("scope"), "openid email");
  const [given] = sent.setCookies;
  assert.match(given!, /; Path=\/console\/oidc;/);
  assert.match(given!, /HttpOnly/);
  assert.match(given!, /SameSite=Lax/);
  const cookie = given!.split(";")[0]!;
  assert.ok(!atob(cookie.split("=")[1]!.split(".")[0]!).includes(searchParams.get("nonce")!));
  const entered = await get(
    gateway,
    callback(sent.location, issuer.approve(sent.location)),
    cookie,
  );
  assert.equal(entered.status, 303, entered.text);
  assert.equal(entered.location, "/console/keys?project=default");
  const { headers, form } = issuer.tokenRequest();
  assert.equal(
    atob(headers.get("authorization")!.replace("Basic ", "")),
    `tollgate:${new URLSearchParams({ s: SECRET }).toString().slice(2)}`,
  );
  assert.ok(!form.has("client_secret"));
  const inside = await get(gateway, entered.location, sessionOf(entered));
  assert.equal(inside.status, 200);
  assert.equal((await get(gateway, "/console/audit", sessionOf(entered))).status, 403);
  const [row] = await signInRows(gateway);
  assert.equal(row!.operation, "console.sign_in");
  assert.equal(row!.user, "oidc u-1 (anna@example.com)");
  const hours = (Date.parse(String(row!.after!.until)) - Date.parse(row!.at)) / 3_600_000;
  assert.ok(hours > 11.9 && hours <= 12, String(hours));
});

Deno.test("roles come of the first claim that fits, also from the other question and within claims", async () => {
  await using scene = await startScene();
  const { gateway } = scene;
  await runOperation(createProject, { deps: gateway.admin, input: { id: "shop" } });
  const rolesOf = async (manners: Manners) => {
    const entered = await signIn(scene, manners);
    assert.equal(entered.status, 303, entered.text);
    const [row] = await signInRows(gateway);
    return [row!.after!.role, row!.after!.project];
  };
  assert.deepEqual(await rolesOf({ alg: "ES256", claims: { groups: ["staff", "admins"] } }), [
    "owner",
    undefined,
  ]);
  assert.deepEqual(await rolesOf({ claims: { groups: "shop" } }), ["member", "shop"]);
  assert.deepEqual(
    await rolesOf({ claims: { groups: [], realm_access: { roles: ["finance"] } } }),
    ["viewer", undefined],
  );
  const told = { groups: ["admins"] };
  assert.deepEqual(await rolesOf({ claims: { groups: undefined }, userInfo: told }), [
    "owner",
    undefined,
  ]);
  const boss = { groups: [], email: "boss@example.com" };
  assert.deepEqual(await rolesOf({ claims: { ...boss, email_verified: true } }), [
    "owner",
    undefined,
  ]);
  for (const claims of [boss, { ...boss, email_verified: false }]) {
    assertOut(await signIn(scene, { claims }), 403, /boss@example\.com \(u-1\).*has no role here/);
  }
});

Deno.test("whom no role fits is refused by name, and a project has to be there", async () => {
  await using scene = await startScene();
  const claims = { groups: ["Staff"], email: `x"><script>${"y".repeat(300)}@example.com` };
  const refused = await signIn(scene, { claims });
  assertOut(refused, 403, /has no role here: ask your administrator for a line in --oidc-roles/);
  assert.ok(!refused.text.includes("<script>y"), "what others say stays text");
  const [row] = await signInRows(scene.gateway);
  assert.equal(row!.operation, "console.sign_in_refused");
  assert.match(row!.user!, /^oidc u-1 \(x"><script>y+…\)$/);
  assert.ok(row!.user!.length < 230);
  assertOut(
    await signIn(scene, { claims: { groups: ["shop"] } }),
    403,
    /'shop', which is not there/,
  );
});

Deno.test("what an issuer does not prove lets nobody in", async () => {
  await using scene = await startScene();
  const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds;
  const lies: readonly (readonly [what: string, manners: Manners, said: RegExp])[] = [
    ["a signature of another key", { isForged: true }, /cannot be believed \(.*signature/],
    ["the same by ES256", { alg: "ES256", isForged: true }, /cannot be believed \(.*signature/],
    ["no signature", { alg: "none" }, /cannot be believed \(.*alg/],
    [
      "no signature, which it says is fine",
      { alg: "none", metadata: { id_token_signing_alg_values_supported: ["none"] } },
      /cannot be believed/,
    ],
    ["a key that nobody knows", { kid: "other" }, /cannot be believed \(.*no applicable keys/],
    ["another nonce", { claims: { nonce: "x" } }, /cannot be believed \(.*nonce/],
    ["no nonce", { claims: { nonce: undefined } }, /cannot be believed \(.*nonce/],
    ["another audience", { claims: { aud: "other" } }, /cannot be believed \(.*aud/],
    ["two audiences", { claims: { aud: ["tollgate", "other"] } }, /cannot be believed \(.*aud/],
    ["another issuer", { claims: { iss: "https://x.example" } }, /cannot be believed \(.*iss/],
    ["one that is over", { claims: { exp: secondsAgo(120) } }, /cannot be believed \(.*exp/],
    ["nobody", { claims: { sub: undefined } }, /cannot be believed \(.*sub/],
    [
      "another person at the other question",
      { claims: { groups: [] }, userInfo: { sub: "u-2" } },
      /cannot be believed \(.*sub/,
    ],
    [
      "a token that is none",
      {
        answers: {
          "/token": () =>
            Response.json({ access_token: "x", token_type: "bearer", id_token: "a.b.c" }),
        },
      },
      /cannot be believed/,
    ],
    [
      "a page instead of keys",
      { metadata: { jwks_uri: undefined } },
      /cannot be believed/,
    ],
    [
      "the gateway is refused",
      { answers: { "/token": () => Response.json({ error: "invalid_client" }, { status: 401 }) } },
      /refuses the gateway \(invalid_client\): ask your administrator/,
    ],
    [
      "a moved endpoint",
      { answers: { "/token": () => Response.redirect("https://elsewhere.example/", 307) } },
      /cannot be believed/,
    ],
  ];
  for (const [what, manners, said] of lies) {
    await using own = await startScene();
    const refused = await signIn(own, manners);
    assertOut(refused, 502, said);
    const rows = await signInRows(own.gateway);
    assert.deepEqual(rows.map(({ operation }) => operation), ["console.sign_in_refused"], what);
    assert.ok(!own.gateway.log().includes("an-access-token"));
  }
  // The clock of an issuer may be a minute off.
  assert.equal((await signIn(scene, { claims: { exp: secondsAgo(20) } })).status, 303);
});

Deno.test("a return is good once, in the browser that began, for ten minutes, with its own state", async () => {
  await using scene = await startScene();
  const { gateway, issuer } = scene;
  const over = /was not begun in this browser, is over, or is older than ten minutes/;
  const { address, cookie } = await begin(scene);
  const path = callback(address, issuer.approve(address));
  assertOut(await get(gateway, path), 401, over);
  const other = await begin(scene);
  assertOut(await get(gateway, path, other.cookie), 401, over);
  assertOut(await get(gateway, path, `${cookie}x`), 401, over);
  assertOut(await get(gateway, path.replace("code=", "xode="), other.cookie), 401, over);
  const asked = issuer.asked.filter((one) => one === "/token").length;
  assert.equal(asked, 0, "the issuer was asked for nothing");
  const entered = await get(gateway, path, cookie);
  assert.equal(entered.status, 303, entered.text);
  assert.match(entered.setCookies.join("\n"), /tollgate_oidc=; Max-Age=0/);
  assertOut(await get(gateway, path, cookie), 401, over);
  assert.equal(issuer.asked.filter((one) => one === "/token").length, 1, "a replay asks nobody");
  const third = await begin(scene);
  const state = new URL(third.address).searchParams.get("state")!;
  const said = "<b>no</b>\nway";
  const query = new URLSearchParams({ state, error: "access_denied", error_description: said });
  const refused = await get(gateway, `/console/oidc/callback?${query}`, third.cookie);
  assertOut(refused, 401, /has not signed you in \(access_denied: &lt;b&gt;no&lt;\/b&gt; way\)/);
});

Deno.test("nobody is led elsewhere", async () => {
  await using scene = await startScene();
  const elsewhere = [
    "https://evil.example/console",
    "//evil.example/console",
    "/\\evil.example",
    "/console\\..\\..\\evil",
    "/console/../../evil.example",
    "/consoled",
    "javascript:alert(1)",
    "/console/keys\r\nx-a: b",
    "/console/sign-in",
    "/console/oidc",
    `/console/keys?x=${"y".repeat(600)}`,
  ];
  for (const next of elsewhere) {
    const entered = await signIn(scene, {}, next);
    assert.equal(entered.status, 303, entered.text);
    assert.equal(entered.location, "/console", next);
  }
  assert.equal(
    (await signIn(scene, {}, "/console/calls?model=a")).location,
    "/console/calls?model=a",
  );
});

Deno.test("an issuer that is silent, slow, huge or other than it should be stops nothing else", async () => {
  const bad: readonly (readonly [Manners, RegExp])[] = [
    [
      { answers: { "/.well-known/openid-configuration": () => new Response("x".repeat(2 ** 20)) } },
      /does not answer \(.*larger than 524288 bytes/,
    ],
    [
      {
        answers: { "/.well-known/openid-configuration": () => new Response("no", { status: 500 }) },
      },
      /cannot be believed/,
    ],
    [{ metadata: { issuer: "https://other.example" } }, /calls itself https:\/\/other\.example/],
    [{ metadata: { authorization_endpoint: "javascript:alert(1)" } }, /no https address/],
    [{ metadata: { authorization_endpoint: "http://far.example/auth" } }, /no https address/],
  ];
  for (const [manners, said] of bad) {
    await using scene = await startScene();
    scene.issuer.manners = manners;
    const refused = await get(scene.gateway, "/console/oidc");
    assertOut(refused, 502, said);
    // A stampede asks it once.
    const asked = scene.issuer.asked.length;
    await Promise.all(Array.from({ length: 5 }, () => get(scene.gateway, "/console/oidc")));
    assert.ok(scene.issuer.asked.length <= asked + 1, "each visitor asks a broken issuer");
    await until("the log", () => scene.gateway.log().includes("oidc_sign_in_failed"));
  }
  await using scene = await startScene({ issuer: "http://127.0.0.1:9" });
  assertOut(await get(scene.gateway, "/console/oidc"), 502, /does not answer .*try again/);
  assert.equal((await get(scene.gateway, "/console/sign-in")).status, 200);
});

Deno.test("a far endpoint without TLS is not told the code", async () => {
  await using scene = await startScene();
  const metadata = { token_endpoint: "http://192.0.2.1/token" };
  assertOut(await signIn(scene, { metadata }), 502, /neither https nor on this machine/);
});

Deno.test("there is no such way where it is not set up", async () => {
  await using gateway = await startTestGateway();
  const page = await get(gateway, "/console/sign-in");
  assert.ok(!page.text.includes("/console/oidc"));
  assert.match((await get(gateway, "/console/oidc")).location, /^\/console\/sign-in/);
  assert.match((await get(gateway, "/console/oidc/callback")).location, /^\/console\/sign-in/);
});
