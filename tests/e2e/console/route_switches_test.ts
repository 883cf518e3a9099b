/**
 * A route that an operator switches off at the console: his reason is shown to operators, as text, and
 * to no caller.
 *
 * @module
 */

import assert from "node:assert/strict";
import { serveGateway } from "../../support/served_gateway.ts";
import { chromiumPath, startBrowser } from "../videos/browser.ts";
import { assertFits, assertQuiet, enterConsole, textOf } from "./console_page.ts";

const EVIL = `<img src=x onerror="document.title='owned'">`;
const ROUTE = "builtin/echo-1";

Deno.test("an operator switches a route off with a reason, which no caller is told", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async () => {
  await using gateway = await serveGateway();
  const { url, server: { key } } = gateway;
  await using page = await startBrowser();
  await enterConsole(gateway, page);
  const settings = `${url}/console/settings/route/${encodeURIComponent(ROUTE)}`;
  await page.open(settings);
  await page.evaluate(`document.querySelector("details").open = true`);
  const form = `document.querySelector('form.fields[action="/console/routes/disable"]')`;
  await page.evaluate(`${form}.querySelector('[name="reason"]').value = ${JSON.stringify(EVIL)}`);
  await assertFits(page);
  await page.follow(`${form}.querySelector("button[type=submit]").click()`);
  assert.match(await textOf(page), /Disabled: it is refused from now on/);
  for (const place of [`${url}/console/routes`, settings, `${url}/console`]) {
    await page.open(place);
    assert.ok((await textOf(page)).includes(EVIL), place);
    assert.notEqual(await page.evaluate("document.title"), "owned");
    await assertFits(page);
  }
  const [listed] = (await gateway.cli("routes", "list"))
    .filter(({ id }: { readonly id: string }) => id === ROUTE);
  assert.deepEqual([listed.status, listed.switched_off[0].reason], ["disabled", EVIL]);
  const { rejected } = await gateway.cli("routes", "explain", "echo-1");
  assert.ok(rejected[0].detail.includes(EVIL));

  const called = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "echo-1", messages: [{ role: "user", content: "x" }] }),
  });
  assert.equal(called.status, 503);
  assert.ok(!(await called.text()).includes("onerror"));
  const models = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  assert.ok(!(await models.text()).includes("onerror"));

  const id = called.headers.get("x-request-id")!;
  assert.deepEqual((await gateway.cli("routes", "enable", ROUTE)).switched_off, []);
  const { decision: { left_out: [refused] } } = await gateway.cli("calls", "show", id);
  assert.ok(refused.detail.endsWith(`: ${EVIL}`), "and it stays with the call that it refused");
  await page.open(`${url}/console/calls/${id}`);
  assert.ok((await textOf(page)).includes(EVIL));
  assert.notEqual(await page.evaluate("document.title"), "owned");
  await assertFits(page);

  // From the list as well: what takes a route out of service asks why.
  await page.open(`${url}/console/routes`);
  const row = `document.getElementById(${JSON.stringify(ROUTE)}).closest("tr")`;
  const quick = `${row}.querySelector('form[action="/console/routes/maintenance"]')`;
  await page.evaluate(`${quick}.closest("details").open = true`);
  await assertFits(page);
  await page.evaluate(`${quick}.querySelector('[name="reason"]').value = "a new disk"`);
  await page.follow(`${quick}.querySelector("button[type=submit]").click()`);
  assert.match(await textOf(page), /In maintenance since .*: a new disk/);
  const back = await gateway.cli("routes", "maintenance", ROUTE, "--off");
  assert.deepEqual(back.switched_off, []);

  // A page that is older than the switch has no reason, and takes none away.
  await page.open(settings);
  await page.evaluate(`document.querySelector("details").open = true`);
  await gateway.cli("routes", "disable", ROUTE, "--reason", "a broken fan");
  await page.follow(`${form}.querySelector("button[type=submit]").click()`);
  assert.match(await textOf(page), /Disabled since .*: a broken fan/);
  const [{ reason }] = (await gateway.cli("routes", "disable", ROUTE)).switched_off;
  assert.equal(reason, "a broken fan");

  await page.open(`${url}/console`);
  assert.ok(!(await textOf(page)).includes(EVIL));
  assertQuiet(gateway, page);
});
