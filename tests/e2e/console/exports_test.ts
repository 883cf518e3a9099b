/**
 * Every list of the console as a file: what its page shows, for whom it is shown, and nothing that a
 * spreadsheet runs.
 *
 * @module
 */

import assert from "node:assert/strict";
import { serveGateway } from "../../support/served_gateway.ts";
import { chromiumPath, startBrowser } from "../videos/browser.ts";
import { assertQuiet, enterConsole } from "./console_page.ts";

const LISTS = {
  projects: "id",
  keys: "prefix",
  models: "aliases",
  routes: "cooling_seconds",
  providers: "base_url",
  videos: "progress",
  batches: "status",
  backups: "sha256",
  audit: "operation",
} as const;
const FORMULA = `=HYPERLINK("https://evil.example","x")`;

Deno.test("every list is a file of CSV and of JSON lines, of what somebody may see", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async (test) => {
  await using gateway = await serveGateway();
  const { url } = gateway;
  await gateway.admin("POST", "/projects", { id: "shop", unlimited: true });
  await gateway.admin("POST", "/projects", { id: "other", unlimited: true });
  await gateway.admin("POST", "/keys", { project: "shop", name: FORMULA });
  await gateway.admin("POST", "/keys", { project: "other", name: "of others" });
  await using page = await startBrowser();
  await enterConsole(gateway, page);
  const get = (path: string): Promise<{ status: number; text: string; headers: string }> =>
    page.evaluate(`fetch(${JSON.stringify(path)}).then(async (answer) => ({
      status: answer.status,
      text: await answer.text(),
      headers: JSON.stringify([...answer.headers]),
    }))`);

  for (const [name, column] of Object.entries(LISTS)) {
    await test.step(`${name}: as its page links to it`, async () => {
      await page.open(`${url}/console/${name}`);
      const links: string[] = await page.evaluate(
        `[...document.querySelectorAll('a[download]')].map(({ href }) => href)`,
      );
      assert.equal(links.length, 2);
      const [csv, jsonl] = await Promise.all(links.map(get));
      assert.equal(csv!.status, 200, csv!.text);
      assert.match(csv!.headers, new RegExp(`attachment; filename=\\\\"${name}\\.csv`));
      assert.ok(csv!.text.split("\r\n")[0]!.split(",").includes(column), csv!.text);
      const rows = jsonl!.text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
      const listed = await gateway.cli(...commandOf(name));
      assert.equal(rows.length, listed.length);
      assert.equal(csv!.text.trimEnd().split("\r\n").length, rows.length + 1, "a line each");
    });
  }

  await test.step("a name that a spreadsheet would run is text", async () => {
    const { text } = await get("/console/export/keys?format=csv");
    assert.ok(text.includes(`"'${FORMULA.replaceAll('"', '""')}"`), text);
    assert.doesNotMatch(text, /sk-tg-[\w-]{43}/);
  });

  await test.step("a page's filters hold, what there is not is refused", async () => {
    const { text } = await get("/console/export/keys?project=other&format=jsonl");
    assert.deepEqual(text.trim().split("\n").map((line) => JSON.parse(line).project), ["other"]);
    assert.equal((await get("/console/export/tokens")).status, 404);
    assert.equal((await get("/console/export/constructor")).status, 404);
    assert.equal((await get("/console/export/keys?format=xls")).status, 400);
    assert.equal((await get("/console/export/keys?project=nobody")).status, 404);
  });

  await test.step("a member has his own, a viewer what a viewer is shown", async () => {
    const { url: link } = await gateway.cli("console", "--role", "member", "--project", "other");
    await page.open(link);
    await page.follow("document.forms[0].requestSubmit()");
    const { text } = await get("/console/export/keys?format=jsonl");
    assert.deepEqual(text.trim().split("\n").map((line) => JSON.parse(line).project), ["other"]);
    assert.equal((await get("/console/export/keys?project=shop")).status, 404);
    for (const name of ["projects", "audit", "providers", "backups"]) {
      assert.equal((await get(`/console/export/${name}`)).status, 403, name);
    }
    const viewer = await gateway.cli("console", "--role", "viewer");
    await page.open(viewer.url);
    await page.follow("document.forms[0].requestSubmit()");
    assert.equal((await get("/console/export/projects")).status, 200);
    assert.equal((await get("/console/export/audit")).status, 403);
  });
  // The browser tells of what was refused by its status.
  const faults = page.faults.filter((fault) => !/status of 4\d\d/.test(fault));
  assertQuiet(gateway, { ...page, faults });
});

function commandOf(name: string): string[] {
  return [{ backups: "backup" }[name] ?? name, "list"];
}
