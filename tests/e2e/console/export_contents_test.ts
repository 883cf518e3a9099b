/**
 * What files of lists have: exactly what the admin API lists, for whom the table of roles lets read it,
 * no secret, and nothing of what strangers wrote that is a formula to a spreadsheet.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as seven from "openai7";
import { DOORS } from "../../../src/console/frame/doors.ts";
import { ROLE_TABLE } from "../../admin/role_table.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { clientOf, create, untilEnded } from "../videos/scene.ts";

/** What a spreadsheet would run, and what a page would. */
const FORMULAS = [
  `=HYPERLINK("http://evil.test/";"win")`,
  "+1+cmd",
  "-2+3",
  "@SUM(A1)",
  `"><img src=x onerror=alert(1)>`,
];
const UPSTREAM_KEY = "upstream-key-0123456789";
const HEADER = "header-value-0123456789";

const catalogue = (upstream: string) => `
providers:
  - { id: builtin, kind: builtin }
  - id: far
    kind: openai_compatible
    base_url: "${upstream}/v1"
    api_key: env:FAR_KEY
    headers: { x-account: ${HEADER} }
models:
  - id: echo-1
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, free: true }]
  - id: far-film
    kind: video
    routes: [{ id: far/film, provider: far, free: true, video: { sizes: [640x360], seconds: [2] } }]
projects:
  - { id: shop, unlimited: true }
  - { id: rivals, unlimited: true }
`;

const ALL_EXPORTS = DOORS.filter(({ path }) => path.startsWith("/export/"));
/** Tables that are no lists: where their rows are in what an operation answers, and their page. */
const TABLES: Readonly<Record<string, readonly [field: string, page: string]>> = {
  "/export/settings": ["settings", "/system"],
  "/export/secrets": ["secrets", "/system"],
  "/export/doctor": ["findings", "/doctor"],
  "/export/ledger": ["differences", "/ledger"],
  // What that answers is the rows.
  "/export/tests": ["", "/providers/tests"],
};
const EXPORTS = ALL_EXPORTS.filter(({ path }) => !Object.hasOwn(TABLES, path));

/** In by a token, as a script. */
async function session({ url }: ServedGateway, token: string) {
  const entered = await fetch(`${url}/console/sign-in`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ admin_key: token }),
  });
  await entered.body?.cancel();
  assert.equal(entered.status, 303);
  const cookie = entered.headers.get("set-cookie")!.replace(/;.*/, "");
  return async (path: string) => {
    const answer = await fetch(`${url}/console${path}`, { headers: { cookie } });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
}

const rowsOf = (jsonl: string) => jsonl.split("\n").filter(Boolean).map((line) => JSON.parse(line));

Deno.test("files of lists have what the admin API lists, and nothing that is hidden", async (test) => {
  await using upstream = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => Response.json({ error: { message: "no", code: "bad_prompt" } }, { status: 400 }),
  );
  await using gateway = await serveGateway({
    catalogue: catalogue(`http://127.0.0.1:${upstream.addr.port}`),
    env: { FAR_KEY: UPSTREAM_KEY },
  });
  const keys: string[] = [];
  for (const project of ["shop", "rivals"]) {
    for (const name of FORMULAS) {
      keys.push((await gateway.admin("POST", "/keys", { project, name })).key);
    }
    const client = clientOf(seven, { url: gateway.url, key: keys.at(-1)! });
    const { id } = await create(client, { model: "far-film", prompt: FORMULAS[0]! });
    await untilEnded(client, id);
  }
  const tokens: Record<string, string> = {};
  for (const role of ["owner", "viewer", "member"]) {
    const project = role === "member" ? { project: "shop" } : {};
    const made = await gateway.admin("POST", "/tokens", { role, name: role, ...project });
    tokens[role] = made.token;
  }

  await test.step("of an owner each file has what the operation lists", async () => {
    const get = await session(gateway, tokens.owner!);
    for (const { path, operation } of EXPORTS) {
      const name = path.replace("/export/", "");
      const { text: page } = await get(`/${name}`);
      for (const format of ["csv", "jsonl"]) {
        assert.ok(page.includes(`href="/console${path}?format=${format}"`), `${name}: ${format}`);
      }
      const { data } = await gateway.admin("GET", `${operation.path}?limit=1000`);
      const jsonl = await get(`${path}?format=jsonl`);
      assert.equal(jsonl.status, 200, jsonl.text);
      assert.deepEqual(rowsOf(jsonl.text), data, name);
      const csv = await get(`${path}?format=csv`);
      assert.match(csv.headers.get("content-type")!, /^text\/csv/);
      const disposition = csv.headers.get("content-disposition");
      assert.equal(disposition, `attachment; filename="${name}.csv"`);
      assert.equal(csv.text.split("\r\n").length, data.length + 2, `${name}: ${csv.text}`);
      for (const hidden of [...keys, ...Object.values(tokens), UPSTREAM_KEY, HEADER]) {
        assert.ok(!csv.text.includes(hidden) && !jsonl.text.includes(hidden), name);
      }
      assert.doesNotMatch(csv.text, /(?:^|,)"?[=+@]|(?:^|,)"?-(?!\d+(?:\.\d+)?[,\r])/m, name);
    }
    const { text } = await get("/export/keys?format=csv");
    assert.ok(text.includes(`"'=HYPERLINK(""http://evil.test/"";""win"")"`), text);
    for (const name of ["'+1+cmd", "'-2+3", "'@SUM(A1)"]) assert.ok(text.includes(`,${name},`));
  });

  await test.step("tables that are no lists are files too, once there is something in them", async () => {
    const get = await session(gateway, tokens.owner!);
    for (const [path, [field, page]] of Object.entries(TABLES)) {
      const { operation } = ALL_EXPORTS.find((door) => door.path === path)!;
      const isJob = operation.method === "POST";
      if (isJob) {
        assert.equal((await get(`${path}?format=csv`)).status, 404, path);
        assert.ok(!(await get(page)).text.includes(`/console${path}`), page);
      }
      const answer = isJob
        ? await gateway.job(operation.path)
        : await gateway.admin("GET", operation.path);
      const rows = field === "" ? answer : answer[field];
      for (const format of ["csv", "jsonl"]) {
        assert.ok((await get(page)).text.includes(`href="/console${path}?format=${format}"`), path);
      }
      const jsonl = await get(`${path}?format=jsonl`);
      assert.deepEqual(rowsOf(jsonl.text), rows, path);
      const csv = await get(`${path}?format=csv`);
      assert.equal(csv.text.split("\r\n").length, rows.length + 2, csv.text);
      for (const hidden of [...keys, ...Object.values(tokens), UPSTREAM_KEY, HEADER]) {
        assert.ok(!csv.text.includes(hidden) && !jsonl.text.includes(hidden), path);
      }
    }
  });

  await test.step("a page's filter is its file's, and what is none is refused", async () => {
    const get = await session(gateway, tokens.owner!);
    for (const page of ["/keys?project=shop", "/projects/shop"]) {
      const { text } = await get(page);
      assert.ok(text.includes(`href="/console/export/keys?project=shop&amp;format=jsonl"`), page);
    }
    const own = await get("/export/keys?project=shop&format=jsonl");
    assert.equal(rowsOf(own.text).length, FORMULAS.length);
    const [first, ...others] = rowsOf(own.text).map(({ id }) => id);
    const later = await get(`/export/keys?project=shop&format=jsonl&after=${first}`);
    assert.deepEqual(rowsOf(later.text).map(({ id }) => id), others);
    for (const query of ["format=xml", "colour=red", "limit=5"]) {
      assert.equal((await get(`/export/keys?${query}`)).status, 400, query);
    }
    for (const path of ["keys?project=nobody", "nothing"]) {
      assert.equal((await get(`/export/${path}`)).status, 404, path);
    }
  });

  await test.step("a viewer and a member have the files of what they may read", async () => {
    for (const role of ["viewer", "member"] as const) {
      const get = await session(gateway, tokens[role]!);
      for (const { path, operation } of EXPORTS) {
        const [least, member] = ROLE_TABLE[operation.name]!;
        const may = role === "member" ? member !== undefined : least === "viewer";
        const { status, text } = await get(`${path}?format=jsonl`);
        assert.equal(status, may ? 200 : 403, `${role} and ${path}`);
        if (may && role === "member") {
          assert.ok(!text.includes("rivals"), path);
          assert.deepEqual([...new Set(rowsOf(text).map(({ project }) => project))], [
            ...(path === "/export/batches" ? [] : ["shop"]),
          ]);
        }
      }
    }
    const get = await session(gateway, tokens.member!);
    assert.equal((await get("/export/keys?project=rivals&format=csv")).status, 404);
    assert.match((await get("/keys")).text, /href="\/console\/export\/keys\?format=csv"/);
  });
});
