/**
 * How the last hour went, on the overview and at the command line: as the calls themselves say, and
 * shown anew while it is looked at.
 *
 * @module
 */

import assert from "node:assert/strict";
import { serveGateway } from "../../support/served_gateway.ts";
import { chromiumPath, startBrowser } from "../videos/browser.ts";
import { assertFits, assertQuiet, enterConsole, textOf, untilThere } from "./console_page.ts";

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - { id: said, kind: chat, routes: [{ id: builtin/said, provider: builtin, upstream_model: echo-1, free: true }] }
  - { id: broken, kind: chat, routes: [{ id: builtin/broken, provider: builtin, upstream_model: "echo-1:status-500", free: true }] }
projects:
  - { id: shop, unlimited: true }
  - { id: other, unlimited: true }
`;

Deno.test("the overview tells how the last hour went, and goes on telling", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async (test) => {
  await using gateway = await serveGateway({ catalogue: CATALOGUE });
  const { url } = gateway;
  const key = await gateway.key("shop");
  const call = async (model: string, by = key) => {
    const answer = await gateway.chat(by, { model, messages: [{ role: "user", content: "Hi" }] });
    await answer.body?.cancel();
    return answer.status;
  };
  await using page = await startBrowser();
  await enterConsole(gateway, page);
  const text = () => textOf(page);

  await test.step("without a call it says so", async () => {
    assert.match(await text(), /No call has ended in the last hour/);
  });

  await test.step("calls and failures are told by model, and what is asked for", async () => {
    for (let at = 0; at < 3; at++) assert.equal(await call("said"), 200);
    assert.ok(await call("broken") >= 500);
    await page.open(`${url}/console`);
    assert.match(await text(), /said\s+3\s+0\s+\d+ ms\s+\d+ ms\s+\d+ ms\s+\d+ ms/);
    assert.match(await text(), /broken\s+1\s+1 \(100\.0 %\)\s+–/);
    await untilThere(page, "document.querySelectorAll('[data-lines] canvas').length === 2");
    await assertFits(page);
    await page.open(`${url}/console?by=project`);
    assert.match(await text(), /shop\s+4\s+1 \(25\.0 %\)/);
    await page.open(`${url}/console?by=nonsense`);
    assert.match(await text(), /Calls of the last hour, by model/);
  });

  await test.step("it is shown anew by itself", async () => {
    await page.open(`${url}/console?by=key`);
    await page.evaluate("window.isFirstPage = true");
    await call("said");
    await untilThere(page, String.raw`/\s5\s+1 \(20\.0 %\)/.test(document.body.innerText)`);
    assert.equal(await page.evaluate("window.isFirstPage"), true);
    await untilThere(page, "document.querySelectorAll('[data-lines] canvas').length === 2");
  });

  await test.step("the command and the API say the same, a member of his own calls alone", async () => {
    await call("said", await gateway.key("other"));
    const { data, all, cut_at } = await gateway.cli("usage", "latency", "--by", "project");
    assert.deepEqual(
      data.map(({ name, calls, failed }: Line) => [name, calls, failed]),
      [["shop", 5, 1], ["other", 1, 0]],
    );
    assert.deepEqual([all.calls, cut_at], [6, null]);
    const { token } = await gateway.cli(
      ...["tokens", "create", "--name", "mo", "--role", "member", "--project", "other"],
    );
    const headers = { authorization: `Bearer ${token}` };
    const own = await fetch(`${url}/admin/v1/latency?by=route&project=other`, { headers });
    assert.equal((await own.json()).all.calls, 1);
    for (const query of ["", "?project=shop"]) {
      const others = await fetch(`${url}/admin/v1/latency${query}`, { headers });
      const told = await others.text();
      assert.ok(others.status >= 400 || JSON.parse(told).all.calls === 1, told);
      assert.doesNotMatch(told, /broken/);
    }
  });
  assertQuiet(gateway, page);
});

interface Line {
  readonly name: string;
  readonly calls: number;
  readonly failed: number;
}
