/**
 * Calls in the console: found, paged, opened, taken along as a file; refused requests among them, and
 * what strangers have written into tags, names and errors stays text.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { type BrowserPage, chromiumPath, startBrowser } from "../videos/browser.ts";
import { seriousFaults } from "./accessibility.ts";

/** What an attacker may have written. */
const EVIL =
  `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

const catalogue = (url: string) => `
providers:
  - { id: builtin, kind: builtin }
  - { id: flaky, kind: openai_compatible, base_url: "${url}/v1", auth: none }
models:
  - id: echo-1
    kind: chat
    routes:
      - id: builtin/echo-1
        provider: builtin
        cost: { input: "1.00", output: "2.00" }
        sale: { input: "1.50", output: "3.33333333", request: "0.001" }
  - id: shaky
    kind: chat
    routes:
      - { id: flaky/shaky, provider: flaky, priority: 0, sale: { free: true } }
      - { id: builtin/shaky, provider: builtin, upstream_model: echo-1, priority: 1, sale: { free: true } }
      - { id: off/shaky, provider: builtin, upstream_model: echo-1, enabled: false, sale: { free: true } }
projects:
  - { id: shop }
  - { id: slow, unlimited: true, limits: { requests_per_minute: 1 } }
`;

async function withGateway(run: (gateway: ServedGateway) => Promise<void>): Promise<void> {
  await using upstream = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => Response.json({ error: { message: `broken ${EVIL}` } }, { status: 503 }),
  );
  await using gateway = await serveGateway({
    catalogue: catalogue(`http://127.0.0.1:${upstream.addr.port}`),
  });
  await gateway.credit("shop", "10.00");
  await run(gateway);
}

async function call(gateway: ServedGateway, key: string, model: string, tags?: string) {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    ...(tags !== undefined && { "x-tollgate-tags": tags }),
  };
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers,
    body: JSON.stringify({ model, messages: [{ role: "user", content: "secret words" }] }),
  });
  await answer.body?.cancel();
  return answer.headers.get("x-request-id")!;
}

/** In by a link, as a script: what pages are without one of their own. */
async function session(gateway: ServedGateway) {
  const { url } = await gateway.cli("console");
  const entered = await fetch(url.replace(/\?.*/, ""), {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ code: new URL(url).searchParams.get("code")! }),
  });
  await entered.body?.cancel();
  const cookie = entered.headers.get("set-cookie")!.replace(/;.*/, "");
  return async (path: string) => {
    const answer = await fetch(`${gateway.url}/console${path}`, { headers: { cookie } });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
}

const idsIn = (text: string) =>
  [...text.matchAll(/href="\/console\/calls\/(req_\w+)"/g)].map(([, id]) => id);

Deno.test("calls are found, paged and taken along without a script", async (test) => {
  await withGateway(async (gateway) => {
    const shop = await gateway.key("shop");
    const slow = await gateway.key("slow");
    const ids: string[] = [];
    for (let at = 0; at < 104; at++) {
      ids.unshift(await call(gateway, shop, "echo-1", `team=t${at}`));
    }
    const served = await call(gateway, slow, "echo-1");
    const refused: string[] = [];
    for (let at = 0; at < 12; at++) refused.unshift(await call(gateway, slow, "echo-1"));
    const get = await session(gateway);

    await test.step("filters are in the address, and in the form again", async () => {
      const { text } = await get("/calls?project=slow&status=served");
      assert.deepEqual(idsIn(text), [served]);
      assert.match(text, /name="project"[^>]* value="slow"/);
      assert.match(text, /<option value="served" selected/);
      assert.deepEqual(idsIn((await get("/calls?tag=team=t7")).text), [ids[104 - 8]]);
      assert.deepEqual(idsIn((await get(`/calls?id=${ids[3]}`)).text), [ids[3]]);
      assert.deepEqual(idsIn((await get("/calls?dearer_than=5")).text), []);
      assert.deepEqual(idsIn((await get("/calls?project=slow&status=refused")).text), refused);
    });

    await test.step("what is wrong with a filter is said beside it", async () => {
      const { status, text } = await get("/calls?from=someday&model=echo-1");
      assert.equal(status, 400);
      assert.match(text, /Cannot read .*someday/);
      assert.match(text, /name="model"[^>]* value="echo-1"/);
      assert.equal((await get("/calls?project=nobody")).status, 404);
      assert.equal((await get("/calls/req_nothing")).status, 404);
    });

    await test.step("pages go to older calls and back", async () => {
      const first = (await get("/calls?project=shop")).text;
      assert.deepEqual(idsIn(first), ids.slice(0, 50));
      assert.doesNotMatch(first, />\s*Newer\s*</);
      const older = hrefOf(first, "Older");
      assert.match(older, /project=shop/);
      const second = (await get(older)).text;
      assert.deepEqual(idsIn(second), ids.slice(50, 100));
      assert.doesNotMatch(second, />\s*Newer\s*</, "before it there is the newest one alone");
      const third = (await get(hrefOf(second, "Older"))).text;
      assert.deepEqual(idsIn(third), ids.slice(100));
      assert.doesNotMatch(third, />\s*Older\s*</);
      const back = (await get(hrefOf(third, "Newer"))).text;
      assert.deepEqual(idsIn(back), ids.slice(50, 100));
      assert.deepEqual(idsIn((await get(hrefOf(third, "Newest"))).text), ids.slice(0, 50));
    });

    await test.step("files have what the filters find", async () => {
      const csv = await get("/calls/export?project=shop&format=csv");
      assert.match(csv.headers.get("content-type")!, /^text\/csv/);
      assert.match(csv.headers.get("content-disposition")!, /attachment; filename="calls\.csv"/);
      const lines = csv.text.trimEnd().split("\r\n");
      assert.match(lines[0]!, /^request_id,opened_at,closed_at,project,key,endpoint,model,/);
      assert.deepEqual(lines.slice(1).map((line) => line.split(",")[0]), ids);
      const jsonl = await get("/calls/export?status=refused&format=jsonl");
      const rows = jsonl.text.trimEnd().split("\n").map((line) => JSON.parse(line));
      assert.deepEqual(rows.map(({ request_id: id }) => id), refused);
      assert.equal((await get("/calls/export?format=xml")).status, 400);
      assert.equal((await get("/calls/export?from=someday")).status, 400);
      const usage = await get("/usage/export?by=day,model&format=csv");
      assert.match(usage.text, /^model,day,calls|^day,model,calls/m);
      assert.match(usage.text, /echo-1/);
      for (const { text } of [csv, jsonl, usage]) assert.doesNotMatch(text, /secret words|sk-tg-/);
    });

    await test.step("the overview says who is throttled, and what raises that", async () => {
      const { text } = await get("");
      assert.match(
        text,
        /Project slow was throttled 12 times since \d\d:00 UTC by the requests per minute of the project: raise with tollgate projects set slow --requests-per-minute N/,
      );
    });
  });
});

Deno.test("a call is opened in a browser", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async (test) => {
  await withGateway(async (gateway) => {
    const { key: shop } = await gateway.admin("POST", "/keys", { project: "shop", name: EVIL });
    const slow = await gateway.key("slow");
    const plain = await call(gateway, shop, "echo-1", `team=${EVIL.replaceAll(/[,=;]/g, "")}`);
    const fallen = await call(gateway, shop, "shaky");
    await call(gateway, slow, "echo-1");
    const refused = await call(gateway, slow, "echo-1");
    const strange = await call(gateway, shop, EVIL);
    await using page = await startBrowser();
    const { url } = await gateway.cli("console");
    await page.open(url);
    await page.follow("document.forms[0].requestSubmit()");
    const at = (path: string) => `${gateway.url}/console/calls${path}`;

    await test.step("by filters and a click", async () => {
      await page.open(at(""));
      await page.evaluate(`document.querySelector("summary").click()`);
      await page.follow(`(() => {
        const form = document.querySelector("form.fields");
        form.elements.model.value = "echo-1";
        form.elements.status.value = "served";
        form.elements.project.value = "shop";
        form.requestSubmit();
      })()`);
      assert.match(await page.evaluate("location.search"), /model=echo-1/);
      await page.follow(`document.querySelector('a[href*="${plain}"]').click()`);
      assert.equal(await page.evaluate("location.pathname"), `/console/calls/${plain}`);
    });

    await test.step("its price adds up, line by line", async () => {
      const shown = await text(page);
      assert.ok(shown.includes("<img"), "the tag is text");
      const { charged, price } = await gateway.admin("GET", `/calls/${plain}`);
      assert.ok(price.charge.length >= 3);
      const amounts: string[] = await page.evaluate(`[...document.querySelectorAll("h2")]
        .find(({ textContent }) => textContent === "Price").nextElementSibling
        .querySelectorAll("tbody tr").values().map((row) => row.cells[3].textContent).toArray()`);
      assert.equal(amounts.pop(), charged);
      const exact = (amount: string) => {
        const [whole, part = ""] = amount.split(".");
        return BigInt(whole + part.padEnd(24, "0"));
      };
      assert.equal(amounts.reduce((sum, one) => sum + exact(one), 0n), exact(charged));
    });

    await test.step("its attempts and the decision are told", async () => {
      await page.open(at(`/${fallen}`));
      const shown = await text(page);
      assert.match(shown, /flaky\/shaky\s+broken\s+503\s+\d+\s+The upstream answered 503/);
      assert.match(shown, /builtin\/shaky\s+served/);
      assert.match(shown, /1\s+flaky\/shaky\s+priority 0/);
      assert.match(shown, /left out\s+off\/shaky\s+disabled/);
      assert.ok(shown.includes(EVIL.slice(0, 20)), "the upstream's words are text");
    });

    await test.step("a refused request says why, and what mends it", async () => {
      await page.open(at(`/${refused}`));
      const shown = await text(page);
      assert.match(shown, /Refused with 429: requests per minute of the project/);
      assert.match(shown, /tollgate projects set slow --requests-per-minute N/);
      await page.open(at(`/${strange}`));
      assert.match(await text(page), /model not found/);
    });

    await test.step("nothing that strangers wrote runs, and every page fits", async () => {
      for (const [width, height] of [[390, 844], [1440, 900]] as const) {
        await page.resize(width, height);
        for (
          const path of [
            "",
            `?tag=${encodeURIComponent(`team=${EVIL}`)}`,
            `/${plain}`,
            `/${fallen}`,
            `/${refused}`,
            `/${strange}`,
          ]
        ) {
          await page.open(at(path));
          assert.doesNotMatch(await page.evaluate("document.title"), /owned/);
          assert.equal(await page.evaluate("document.images.length"), 0);
          const { scrollWidth } = await page.evaluate(
            "({ scrollWidth: document.documentElement.scrollWidth })",
          );
          assert.ok(scrollWidth <= width, `${path} is ${scrollWidth} wide at ${width}`);
          assert.deepEqual(await seriousFaults(page), [], `${path} at ${width}`);
        }
      }
      assert.deepEqual(page.faults.filter((fault) => !/ 400 /.test(fault)), []);
    });
  });
});

/** Where a link of this name leads, below `/console`. */
function hrefOf(html: string, name: string): string {
  const link = new RegExp(`href="/console([^"]*)"[^>]*>\\s*${name}\\s*<`).exec(html);
  assert.ok(link !== null, `there is no link ${name}`);
  return link[1]!.replaceAll("&amp;", "&");
}

async function text(page: BrowserPage): Promise<string> {
  return await page.evaluate("document.body.innerText");
}
