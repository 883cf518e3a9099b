/**
 * The catalogue at the console: a difference is shown before it is made, and made of what was compared.
 *
 * @module
 */

import assert from "node:assert/strict";
import { serveGateway } from "../../support/served_gateway.ts";
import { chromiumPath, startBrowser } from "../videos/browser.ts";
import type { BrowserPage } from "../videos/browser.ts";
import { assertFits, assertQuiet, enterConsole, textOf, untilThere } from "./console_page.ts";

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
  - { id: far, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", headers: { x-team: secret-value } }
models:
  - id: said
    kind: chat
    routes:
      - { id: builtin/said, provider: builtin, upstream_model: echo-1, cost: { input: "1.00", output: "2.00" } }
`;

const EVIL = `<img src=x onerror="document.title='owned'">`;
const ignore = chromiumPath === undefined && Deno.env.get("CI") !== "true";

Deno.test(
  "an operator changes a piece of the catalogue by its difference",
  { ignore },
  async (test) => {
    await using gateway = await serveGateway({ catalogue: CATALOGUE });
    await using page = await startBrowser();
    await enterConsole(gateway, page);
    const open = (path: string) => page.open(`${gateway.url}/console/settings/${path}`);
    const route = "route/builtin%2Fsaid";
    const costOf = async () =>
      (await gateway.admin("GET", "/catalogue/routes/builtin%2Fsaid")).settings.cost;

    await test.step("the difference is shown, and nothing is changed by that", async () => {
      await open(route);
      await page.follow(write(`yaml.replace('input: "1.00"', 'input: "1.50"')`));
      assert.match(await textOf(page), /cost\.input\s+"1\.00"\s+"1\.50"/);
      await assertFits(page);
      assert.equal((await costOf()).input, "1.00");
    });

    await test.step("what was compared is applied", async () => {
      await page.follow("document.querySelector('form[action$=\"/apply\"]').requestSubmit()");
      assert.match(await textOf(page), /Changed\./);
      assert.equal((await costOf()).input, "1.50");
      await assertFits(page);
    });

    await test.step("a change in between is not overwritten but by who has seen it", async () => {
      const others = (input: string) =>
        gateway.admin("POST", "/catalogue/routes/builtin%2Fsaid", {
          settings: { cost: { input } },
        });
      const apply = () =>
        page.follow("document.querySelector('form[action$=\"/apply\"]').requestSubmit()");
      await open(route);
      await page.follow(write(`yaml.replace('input: "1.50"', 'input: "9.00"')`));
      await others("1.75");
      await apply();
      assert.match(await textOf(page), /somebody has changed the route builtin\/said since/);
      assert.match(await textOf(page), /cost\.input\s+"1\.75"\s+"9\.00"/);
      assert.match(await textOf(page), /Overwrite it with what I wrote/);
      assert.equal((await costOf()).input, "1.75");
      await assertFits(page);
      // A page that is older still, and one more change while its difference is looked at.
      await open(route);
      await others("1.80");
      for (const [input, theirs] of [["8.00", "1.80"], ["8.50", "1.85"]] as const) {
        await others(theirs);
        await page.follow(write(`yaml.replace(/input: .*/, 'input: "${input}"')`));
        assert.match(await textOf(page), /somebody has changed the route/);
        const differs = new RegExp(`cost\\.input\\s+"${theirs}"\\s+"${input}"`);
        assert.match(await textOf(page), differs);
      }
      // A refusal in between keeps what was compared, so that the next press tells of it again.
      await others("1.90");
      await page.follow(write(`yaml + "\\nnonsense: 1\\n"`));
      assert.match(await textOf(page), /nonsense/);
      await page.follow(write("yaml.replace(/nonsense.*/, '')"));
      assert.match(await textOf(page), /somebody has changed the route/);
      assert.match(await textOf(page), /cost\.input\s+"1\.90"\s+"8\.50"/);
      assert.equal((await costOf()).input, "1.90");
      await apply();
      assert.match(await textOf(page), /Changed\./);
      assert.equal((await costOf()).input, "8.50");
    });

    await test.step("what was made or deleted meanwhile is told, too", async () => {
      const model = { kind: "chat", aliases: ["theirs"], routes: [] };
      await open("model");
      await page.evaluate("document.querySelector('[name=id]').value = 'twice'");
      await gateway.admin("POST", "/catalogue/models/twice", { settings: model });
      await page.follow(write(JSON.stringify("kind: chat\naliases: [mine]\nroutes: []\n")));
      assert.match(await textOf(page), /there is a model twice already/);
      assert.match(await textOf(page), /aliases\s+\["theirs"\]\s+\["mine"\]/);
      await open("model/twice");
      await gateway.cli("models", "delete", "twice");
      await page.follow(write("yaml"));
      assert.match(await textOf(page), /the model twice was deleted since you opened it/);
      assert.match(await textOf(page), /model twice\s+add/);
      await page.follow("document.querySelector('form[action$=\"/apply\"]').requestSubmit()");
      assert.deepEqual((await gateway.admin("GET", "/catalogue/models/twice")).aliases, ["theirs"]);
      await gateway.cli("models", "delete", "twice");
    });

    await test.step("a route says how it is, with the last calls that failed on it", async () => {
      await gateway.admin("POST", "/catalogue/models/broken", {
        settings: {
          kind: "chat",
          routes: [{
            id: "builtin/broken",
            provider: "builtin",
            upstream_model: "echo-1:status-500",
            free: true,
          }],
        },
      });
      const answer = await gateway.chat(gateway.server.key, {
        model: "broken",
        messages: [{ role: "user", content: EVIL }],
      });
      await answer.body?.cancel();
      assert.ok(answer.status >= 500);
      await open("route/builtin%2Fbroken");
      assert.match(await textOf(page), /The last calls that failed on it/);
      assert.match(await textOf(page), /req_[a-z2-7]{26}/);
      await assertFits(page);
      await page.open(`${gateway.url}/console/settings/provider/builtin`);
      await page.follow(
        `document.querySelector('form[action="/console/providers/tests/run"] button').click()`,
      );
      await untilThere(page, "/builtin\\s+well/.test(document.body?.innerText ?? '')");
      assert.match(await textOf(page), /CSV\s+JSON lines/);
      assert.doesNotMatch(await textOf(page), /\bfar\b/);
    });

    await test.step("what is wrong is said above what was written, which stays", async () => {
      await open(route);
      await page.follow(write(`yaml + ${JSON.stringify(`\nnonsense: ${JSON.stringify(EVIL)}\n`)}`));
      const shown = await textOf(page);
      assert.match(shown, /nonsense/);
      assert.ok((await yamlOf(page)).includes("<img src=x onerror="));
      assert.notEqual(await page.evaluate("document.title"), "owned");
      await page.follow(write("'[not settings'"));
      assert.match(await page.evaluate("document.querySelector('[role=alert]').textContent"), /1:/);
    });

    await test.step("hidden values stay hidden, and stay", async () => {
      await open("provider/far");
      assert.ok(
        !(await page.evaluate("document.documentElement.outerHTML")).includes("secret-value"),
      );
      await page.follow(write("yaml.replace(':9/v1', ':10/v1')"));
      await page.follow("document.querySelector('form[action$=\"/apply\"]').requestSubmit()");
      const { text } = await gateway.admin("GET", "/catalogue/export");
      assert.match(text, /secret-value/);
      assert.match(text, /127\.0\.0\.1:10/);
    });

    await test.step("the difference carries what was typed, and shows no secret of it", async () => {
      const html = () => page.evaluate("document.documentElement.outerHTML");
      const secret = "typed-for-headers-1";
      await open("provider/far");
      await page.follow(write(`yaml.replace("(hidden)", "${secret}")`));
      assert.match(await textOf(page), /headers\.x-team\s+"\(hidden\)"\s+"\(hidden\)"/);
      assert.ok(!(await html()).includes(secret));
      await gateway.admin("POST", "/catalogue/providers/far", {
        settings: { base_url: "http://127.0.0.1:11/v1" },
      });
      const apply = `document.querySelector('form[action$="/apply"]')`;
      await page.follow(`${apply}.requestSubmit()`);
      assert.match(await textOf(page), /somebody has changed the provider far/);
      assert.match(await yamlOf(page), /x-team: \(type it again\)/);
      assert.ok(!(await html()).includes(secret));
      assert.doesNotMatch((await gateway.admin("GET", "/catalogue/export")).text, /typed-for/);
      await assertFits(page);
      await page.evaluate(`${apply}.elements.id.value = "builtin"`);
      await page.follow(`${apply}.requestSubmit()`);
      assert.match(await textOf(page), /no text that the page was given/);
      await open("provider/far");
      await page.follow(write(`yaml.replace("(hidden)", "${secret}").replace(":11/", ":10/")`));
      await page.follow(`${apply}.requestSubmit()`);
      assert.match((await gateway.admin("GET", "/catalogue/export")).text, /typed-for-headers-1/);
      await gateway.admin("POST", "/catalogue/providers/far", {
        settings: { headers: { "x-team": "secret-value" } },
      });
    });

    await test.step("a secret that was typed is not shown again, nor taken without being typed", async () => {
      const secret = "sk-Zq81-not-for-anybody";
      const typed = `kind: openai_compatible\nbase_url: http://127.0.0.1:10/v1\n` +
        `api_key: ${secret}\nheaders: { x-team: "${secret}" }\n`;
      for (const text of [typed, `${typed}  broken`, `${typed}api_key: *${secret}`]) {
        await open("provider/far");
        await page.follow(write(JSON.stringify(text)));
        assert.match(await page.evaluate("document.querySelector('.notice').textContent"), /^Noth/);
        const html: string = await page.evaluate("document.documentElement.outerHTML");
        assert.ok(!html.includes(secret), html);
        assert.match(await yamlOf(page), /^base_url: http:\/\/127\.0\.0\.1:10\/v1$/m);
        assert.match(await yamlOf(page), /^api_key: \(type it again\)$/m);
        assert.match(await textOf(page), /write it once more in place of each \(type it again\)/);
        await assertFits(page);
      }
      await open("provider/far");
      await page.follow(write(JSON.stringify(typed)));
      await page.follow(write("yaml.replace(/api_key: .*/, 'api_key: env:FAR')"));
      assert.match(await textOf(page), /It is missing at headers\.x-team/);
      const { text } = await gateway.admin("GET", "/catalogue/export");
      assert.match(text, /secret-value/);
    });

    await test.step("a new model is made the same way", async () => {
      await open("model");
      await page.evaluate("document.querySelector('[name=id]').value = 'fresh'");
      const model = JSON.stringify(
        "kind: chat\nroutes:\n  - { id: builtin/fresh, provider: builtin, upstream_model: echo-1, free: true }",
      );
      await page.follow(write(model));
      assert.match(await textOf(page), /model fresh\s+add/);
      await page.follow("document.querySelector('form[action$=\"/apply\"]').requestSubmit()");
      assert.equal((await gateway.admin("GET", "/catalogue/models/fresh")).routes, 1);
    });

    await test.step("a piece is deleted once its difference is seen, and not if it has changed", async () => {
      const remove = () =>
        page.follow("document.querySelector('form[action$=\"/delete\"]').requestSubmit()");
      const ask = () =>
        page.follow("document.querySelector('form[action$=\"/removal\"]').requestSubmit()");
      await open("model/fresh");
      await ask();
      assert.match(await textOf(page), /model fresh\s+remove/);
      assert.match(await textOf(page), /route builtin\/fresh\s+remove/);
      await assertFits(page);
      await gateway.admin("POST", "/catalogue/models/fresh", { settings: { aliases: ["newer"] } });
      await remove();
      assert.match(await textOf(page), /has changed meanwhile/);
      assert.equal((await gateway.admin("GET", "/catalogue/models/fresh")).routes, 1);
      await ask();
      await remove();
      assert.match(await textOf(page), /Deleted\./);
      assert.doesNotMatch(await textOf(page), /fresh/);
      await open("provider/builtin");
      await ask();
      assert.match(await textOf(page), /Nothing was changed: .*builtin/s);
      const [row] = await gateway.cli("audit", "list", "--operation", "models.delete");
      assert.equal(row.subject, "model:fresh");
    });
    await page.open(`${gateway.url}/console/models`);
    await assertFits(page);
    // The browser tells of each page that was refused by its status.
    const faults = page.faults.filter((fault) => !/status of 4\d\d/.test(fault));
    assertQuiet(gateway, { ...page, faults });
  },
);

Deno.test("what a file owns is shown with that file, and not changed", { ignore }, async () => {
  const file = await Deno.makeTempFile({ suffix: ".yaml" });
  await Deno.writeTextFile(file, CATALOGUE);
  await using gateway = await serveGateway({ args: ["--catalog", file] });
  await using page = await startBrowser();
  await enterConsole(gateway, page);
  for (const path of ["model/said", "model", "provider", "route/builtin%2Fsaid"]) {
    await page.open(`${gateway.url}/console/settings/${path}`);
    assert.ok((await textOf(page)).includes(file));
    assert.equal(await page.evaluate("document.querySelector('textarea')"), null);
    const forms = `document.querySelectorAll('form[action*="/settings/"]').length`;
    assert.equal(await page.evaluate(forms), 0, path);
    await assertFits(page);
  }
  assertQuiet(gateway, page);
});

/** Sends the editor's form with this as its text, `yaml` being what is there. */
function write(expression: string): string {
  return `(() => {
    const form = document.querySelector('form[action$="/difference"]');
    const yaml = form.elements.yaml.value;
    form.elements.yaml.value = ${expression};
    form.requestSubmit();
  })()`;
}

async function yamlOf(page: BrowserPage): Promise<string> {
  return await page.evaluate("document.querySelector('textarea').value");
}
