/**
 * Every page and every form of the console × every role, over HTTP: who may not is refused by the
 * server, and sees neither the way there nor the button.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createProject } from "../../../src/admin/accounts/projects.ts";
import { createToken, revokeToken } from "../../../src/admin/accounts/tokens.ts";
import { linkConsole } from "../../../src/admin/console_link.ts";
import { runOperation } from "../../../src/admin/base/run_operation.ts";
import { DOORS, maySend } from "../../../src/console/frame/doors.ts";
import { RANKS, type Rights, type Role } from "../../../src/domain/roles.ts";
import { ROLE_TABLE } from "../../admin/role_table.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";

interface Signed {
  readonly role: Role;
  readonly cookie: string;
  readonly formToken: string;
}

interface Page {
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
}

async function send(
  gateway: TestGateway,
  path: string,
  { cookie = "", form }: { readonly cookie?: string; readonly form?: Record<string, string> } = {},
): Promise<Page & { readonly cookie: string }> {
  const answer = await fetch(`${gateway.url}/console${path}`, {
    redirect: "manual",
    headers: { cookie },
    ...(form && { method: "POST", body: new URLSearchParams(form) }),
  });
  return {
    status: answer.status,
    location: answer.headers.get("location"),
    text: await answer.text(),
    cookie: answer.headers.get("set-cookie")?.split(";")[0] ?? "",
  };
}

async function signIn(gateway: TestGateway, token: string, role: Role): Promise<Signed> {
  const entered = await send(gateway, "/sign-in", { form: { admin_key: token } });
  assert.equal(entered.status, 303, entered.text);
  const { cookie } = entered;
  const first = await send(gateway, "/keys", { cookie });
  const [, formToken] = /name="form_token" value="([^"]+)"/.exec(first.text)!;
  return { role, cookie, formToken: formToken! };
}

async function makeToken({ admin: deps }: TestGateway, role: Role, project?: string) {
  const input = { name: `a ${role}`, role, project };
  return await runOperation(createToken, { deps, input });
}

async function startWithProjects(): Promise<TestGateway> {
  const gateway = await startTestGateway();
  for (const id of ["red", "blue"]) {
    const input = { id, unlimited: true };
    await runOperation(createProject, { deps: gateway.admin, input });
  }
  return gateway;
}

/** A path of a door, of things that are the member's project or nobody's. */
function filled(path: string): string {
  return path.replace(":project", "red").replaceAll(/:\w+\*?/g, "nobodys");
}

Deno.test("every page and form is for the roles of its operation", async () => {
  await using gateway = await startWithProjects();
  for (const role of [...RANKS, "member"] as const) {
    const project = role === "member" ? "red" : undefined;
    const { token } = await makeToken(gateway, role, project);
    const { cookie, formToken } = await signIn(gateway, token, role);
    for (const { method, path, operation } of DOORS) {
      const place = filled(path);
      const form = method === "POST" ? { form: { form_token: formToken } } : {};
      const answer = await send(gateway, place, { cookie, ...form });
      const [least, member] = ROLE_TABLE[operation.name]!;
      const may = role === "member"
        ? member !== undefined
        : RANKS.indexOf(role) >= RANKS.indexOf(least);
      const shown = `${method} ${place} as ${role}: ${answer.status}`;
      if (role === "member" && path === "/") {
        assert.equal(answer.location, "/console/projects/red", shown);
      } else if (may) {
        assert.ok(answer.status !== 401 && answer.status !== 403 && answer.status < 500, shown);
        assert.ok(!answer.location?.includes("sign-in"), shown);
      } else {
        assert.equal(answer.status, 403, shown);
        assert.match(answer.text, /takes the role .* ask an owner/, shown);
      }
    }
    const unlisted = await send(gateway, "/nothing/here", { cookie });
    assert.equal(unlisted.status, role === "owner" ? 404 : 403);
  }
  for (const { path } of DOORS) {
    assert.match((await send(gateway, filled(path))).location!, /^\/console\/sign-in(\?next=|$)/);
  }
});

Deno.test("every page and form of the sources has its door", async () => {
  const untold: string[] = [];
  for await (const { name } of Deno.readDir("src/console/pages")) {
    const text = await Deno.readTextFile(`src/console/pages/${name}`);
    const pages = [...text.matchAll(/app\.(get|post)\(\s*["`](\/[^"`$]*)["`]/g)]
      .map(([, method, path]) => [method!.toUpperCase(), path!] as const);
    const forms = [...text.matchAll(/addAction\(app, \{\s*path: ["`](\/[^"`$]*)["`]/g)]
      .map(([, path]) => ["POST", path!] as const);
    for (const [method, written] of [...pages, ...forms]) {
      const path = written.replace("/settings/:kind", "/settings/model").replace("{.+}", "");
      const has = DOORS.some((door) =>
        door.method === method &&
        (door.path === path || door.path.endsWith("*") && path.startsWith(door.path.slice(0, -1)))
      );
      if (!has) untold.push(`${method} ${path}`);
    }
  }
  assert.deepEqual(untold, [], "who may open these? A row in src/console/frame/doors.ts says it");
});

Deno.test("the menu and the buttons are those that one may use", async () => {
  await using gateway = await startWithProjects();
  await gateway.key("red");
  const { id: keyId } = gateway.admin.directory.keys().find(({ projectId }) =>
    projectId === "red"
  )!;
  const menus: { readonly [role in Role]?: readonly string[] } = {
    viewer: [
      "",
      "calls",
      "projects",
      "keys",
      "models",
      "routes",
      "videos",
      "batches",
      "ledger",
      "docs",
    ],
    member: ["projects/red", "calls", "keys", "playground", "videos", "batches", "docs"],
  };
  for (const [role, menu] of Object.entries(menus) as [Role, readonly string[]][]) {
    const project = role === "member" ? "red" : undefined;
    const { token } = await makeToken(gateway, role, project);
    const { cookie } = await signIn(gateway, token, role);
    const rights = { role, ...(project && { project }) } as Rights;
    const { text } = await send(gateway, "/keys", { cookie });
    const shown = [...text.matchAll(/<li><a href="\/console\/?([^"]*)"/g)].map(([, path]) => path);
    assert.deepEqual(shown, menu, role);
    for (const page of ["/keys", `/keys/${keyId}`, "/projects/red", "/videos"]) {
      const { text } = await send(gateway, page, { cookie });
      const actions = [...text.matchAll(/<form[^>]* action="([^"]+)"/g)].map(([, to]) => to!);
      for (const action of actions) {
        assert.ok(maySend(rights, action), `${role} sees ${action} on ${page}`);
      }
      if (page === `/keys/${keyId}`) {
        const forms = ["settings", "budgets", "limits"].map((form) => `/console${page}/${form}`);
        assert.deepEqual(
          forms.filter((form) => actions.includes(form)),
          role === "member" ? forms : [],
          role,
        );
      }
    }
    assert.equal(/action="\/console\/keys"/.test(text), role === "member", "keys are made here");
    assert.ok(!/\/enable"|\/credit"/.test(text));
  }
});

Deno.test("a member's pages have his project, and of another one what nobody has", async () => {
  await using gateway = await startWithProjects();
  for (const project of ["red", "blue"]) await gateway.key(project);
  const { admin: deps } = gateway;
  const blueKey = deps.directory.keys().find(({ projectId }) => projectId === "blue")!;
  const { token } = await makeToken(gateway, "member", "red");
  const { cookie, formToken } = await signIn(gateway, token, "member");
  for (const page of ["/keys", "/projects/red", "/calls", "/videos", "/batches"]) {
    const { status, text } = await send(gateway, page, { cookie });
    assert.equal(status, 200, page);
    assert.ok(!text.includes("blue") && !text.includes(blueKey.id), page);
  }
  const plain = ({ status, text }: Page, name: string) => [status, text.replaceAll(name, "X")];
  const form = { form_token: formToken };
  for (
    const ask of [
      (name: string) => send(gateway, `/projects/${name}`, { cookie }),
      (name: string) => send(gateway, `/keys?project=${name}`, { cookie }),
      (name: string) => send(gateway, "/keys", { cookie, form: { ...form, project: name } }),
    ]
  ) {
    const theirs = await ask("blue");
    assert.equal(theirs.status, 404);
    assert.deepEqual(plain(theirs, "blue"), plain(await ask("nobodys"), "nobodys"));
  }
  for (const way of ["", "/settings", "/budgets", "/limits", "/delete"]) {
    const sent = { cookie, ...way !== "" && { form: { ...form, name: "x", daily: "1" } } };
    const other = await send(gateway, `/keys/${blueKey.id}${way}`, sent);
    assert.equal(other.status, 404, way);
    const nobodys = await send(gateway, `/keys/nobodys${way}`, sent);
    assert.deepEqual(plain(other, blueKey.id), plain(nobodys, "nobodys"));
  }
  assert.deepEqual(deps.directory.key(blueKey.id), blueKey);
});

Deno.test("a key that has expired gets another name and stays expired, or gets more time", async () => {
  await using gateway = await startWithProjects();
  await gateway.key("red");
  const { admin: { directory } } = gateway;
  const key = directory.keys().find(({ projectId }) => projectId === "red")!;
  const past = Date.UTC(2020, 0, 31);
  directory.putKey({ ...key, expiresAt: past });
  const { token } = await makeToken(gateway, "operator");
  const { cookie, formToken } = await signIn(gateway, token, "operator");
  const page = `/keys/${key.id}`;
  const { text } = await send(gateway, page, { cookie });
  assert.match(text, /expired/);
  const [, shown] = /name="shown_expires" value="([^"]+)"/.exec(text)!;
  const change = (fields: Record<string, string>) =>
    send(gateway, `${page}/settings`, {
      cookie,
      form: { form_token: formToken, form_page: `/console${page}`, ...fields },
    });
  const unchanged = { expires: shown!, shown_expires: shown! };
  assert.equal((await change({ name: "old", ...unchanged })).status, 303);
  const { name, expiresAt } = directory.key(key.id)!;
  assert.deepEqual([name, expiresAt], ["old", past]);
  const refused = await change({ name: "older", ...unchanged, expires: "2020-02-01" });
  assert.equal(refused.status, 400);
  assert.equal(directory.key(key.id)!.name, "old");
  assert.equal((await change({ name: "new", ...unchanged, expires: "2099-01-31" })).status, 303);
  assert.equal(directory.key(key.id)!.expiresAt, Date.UTC(2099, 0, 31));
});

Deno.test("a link has the role that it was made for, and a token's session ends with it", async () => {
  await using gateway = await startWithProjects();
  const { admin: deps } = gateway;
  const { url } = await runOperation(linkConsole, { deps, input: { role: "viewer" } });
  const code = new URL(url).searchParams.get("code")!;
  const entered = await send(gateway, "/enter", { form: { code } });
  assert.equal((await send(gateway, "/models", { cookie: entered.cookie })).status, 200);
  assert.equal((await send(gateway, "/audit", { cookie: entered.cookie })).status, 403);
  assert.equal((await send(gateway, "/enter", { form: { code } })).status, 401);

  const made = await makeToken(gateway, "operator");
  const { cookie } = await signIn(gateway, made.token, "operator");
  assert.equal((await send(gateway, "/audit", { cookie })).status, 200);
  await runOperation(revokeToken, { deps, input: { token_id: made.id } });
  assert.equal(
    (await send(gateway, "/audit", { cookie })).location,
    "/console/sign-in?next=%2Fconsole%2Faudit",
  );
  const again = await send(gateway, "/sign-in", { form: { admin_key: made.token } });
  assert.equal(again.status, 401);
  assert.match(again.text, /was revoked at/);
  assert.ok(!again.text.includes(made.token));
});

Deno.test("who came in is in the audit log, and refusals are a row a cause", async () => {
  await using gateway = await startWithProjects();
  const { admin: deps } = gateway;
  const { token, id } = await makeToken(gateway, "viewer");
  await signIn(gateway, token, "viewer");
  for (let tries = 0; tries < 15; tries++) {
    await send(gateway, "/sign-in", { form: { admin_key: `guess-${tries}` } });
  }
  const rows = await deps.storage.audit.list({ limit: 100 });
  const [came, ...others] = rows.filter(({ operation }) => operation === "console.sign_in");
  assert.deepEqual(others, []);
  assert.equal(came!.actor.user, `token ${id} (a viewer)`);
  assert.equal(came!.after!.role, "viewer");
  const refused = rows.filter(({ operation }) => operation === "console.sign_in_refused");
  assert.deepEqual(refused.map(({ subject }) => subject).sort(), [
    "session:key",
    "session:too_many",
  ]);
  assert.ok(!JSON.stringify(rows.map(({ after }) => after)).includes("guess-"));
});

Deno.test("a script is refused in JSON, whoever asks", async () => {
  await using gateway = await startWithProjects();
  const { token } = await makeToken(gateway, "viewer");
  const { cookie, formToken } = await signIn(gateway, token, "viewer");
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${gateway.url}/console${path}`, { redirect: "manual", ...init });
  const play = (formToken: string) =>
    ask("/play/v1/chat/completions", {
      method: "POST",
      headers: { cookie, "content-type": "application/json", "x-form-token": formToken },
      body: "{}",
    });
  for (
    const [answer, status, code] of [
      [await play(formToken), 403, "ROLE_NOT_ALLOWED"],
      [await play("another"), 400, "INVALID_VALUE"],
      [await ask("/audit", { headers: { cookie, accept: "application/json" } }), 403],
      [await ask("/calls/req_none", { headers: { cookie, accept: "application/json" } }), 404],
    ] as const
  ) {
    assert.equal(answer.status, status);
    assert.match(answer.headers.get("content-type")!, /^application\/json/);
    assert.ok(answer.headers.get("content-security-policy"));
    const { error } = await answer.json();
    assert.equal(typeof error.message, "string");
    if (code !== undefined) assert.equal(error.code.toUpperCase(), code);
  }
});

Deno.test("an address that is none is not found, whoever asks", async () => {
  await using gateway = await startWithProjects();
  for (const role of [...RANKS, "member"] as const) {
    const { token } = await makeToken(gateway, role, role === "member" ? "red" : undefined);
    const { cookie } = await signIn(gateway, token, role);
    for (const path of ["/calls/%", "/calls/%E0%A4%A", "/projects/%ff", "/videos/%zz/x"]) {
      const { status } = await send(gateway, path, { cookie });
      assert.equal(status, 404, `${role} ${path}`);
    }
  }
});
