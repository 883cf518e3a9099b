/**
 * What a call said, in the console: a conversation in a browser, in which what strangers wrote stays
 * text; and what is there of it after kill -9, on the command line.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runTollgate } from "../../support/executable.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { chromiumPath, startBrowser } from "../videos/browser.ts";
import { pollUntil } from "../videos/poll_until.ts";
import { assertFits, assertQuiet, enterConsole, textOf } from "./console_page.ts";

/** What an attacker may have written. */
const EVIL =
  `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: echo-1
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, free: true }]
projects:
  - { id: shop, unlimited: true, quotas: { prompt_days: 30 } }
  - { id: quiet, unlimited: true }
`;

const BODY = {
  model: "echo-1",
  messages: [
    { role: "system", content: `Be brief. ${EVIL}` },
    { role: "user", content: "Weather for ada@example.com?" },
    {
      role: "assistant",
      content: null,
      reasoning_content: `hidden thoughts ${EVIL}`,
      tool_calls: [{
        id: "call_1",
        type: "function",
        function: { name: "weather", arguments: JSON.stringify({ place: EVIL }) },
      }],
    },
    { role: "tool", tool_call_id: "call_1", content: `sunny ${EVIL}` },
    {
      role: "user",
      content: [{ type: "text", text: `xylophone ${EVIL}` }, {
        type: "text",
        text: `data:image/png;base64,${"QUJD".repeat(20)}`,
      }],
    },
  ],
};

Deno.test({
  name: "a conversation in the console is text, whatever it says, and survives kill -9",
  ignore: chromiumPath === undefined,
  async fn(test) {
    await using gateway = await serveGateway({ catalogue: CATALOGUE });
    const answer = await gateway.chat(await gateway.key("shop"), BODY);
    assert.equal(answer.status, 200, await answer.clone().text());
    await answer.body?.cancel();
    const id = answer.headers.get("x-request-id")!;
    const other = await gateway.chat(await gateway.key("quiet"), BODY);
    await other.body?.cancel();
    const quiet = other.headers.get("x-request-id")!;

    await test.step("the page", async () => {
      await using page = await startBrowser();
      await enterConsole(gateway, page);
      await page.open(`${gateway.url}/console/calls/${id}`);
      await page.follow(
        `[...document.links].find((a) => a.textContent === "Conversation").click()`,
      );
      const text = await textOf(page);
      for (const word of ["system", "user", "assistant", "tool", "Calls weather", "sunny", EVIL]) {
        assert.ok(text.includes(word), `${word} in ${text}`);
      }
      assert.ok(text.includes("Weather for [email]?"));
      assert.ok(!text.includes("ada@example.com"));
      assert.ok(!text.includes("hidden thoughts"), "thoughts are folded");
      await page.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)");
      assert.ok((await textOf(page)).includes("hidden thoughts"));
      assert.ok(text.includes("[image/png, 60 bytes]"));
      assert.doesNotMatch(await page.evaluate("document.title"), /owned/);
      assert.equal(await page.evaluate("document.images.length"), 0);
      await assertFits(page);
      assertQuiet(gateway, page);
    });

    await test.step("a project's page switches it on, says what is taken out, and forgets", async () => {
      await using page = await startBrowser();
      await enterConsole(gateway, page);
      await page.open(`${gateway.url}/console/projects/quiet`);
      assert.match(await textOf(page), /Kept\s+no/);
      const form = `document.querySelector('form[action$="/quiet/prompts"]')`;
      await page.evaluate(`{
        const { days, bytes, redact } = ${form}.elements;
        [days.value, bytes.value, redact.value] = ["7", "1MiB", "CUST-####\\nxylophone"];
      }`);
      await page.follow(`${form}.querySelector("button[type=submit]").click()`);
      const text = await textOf(page);
      assert.match(text, /Kept\s+for 7 days/);
      assert.match(text, /1048576 bytes/);
      const { quotas } = await gateway.cli("projects", "show", "quiet");
      assert.deepEqual(quotas.redact, ["CUST-####", "xylophone"]);
      const said = await gateway.chat(await gateway.key("quiet"), BODY);
      await said.body?.cancel();
      const kept = `/calls/${said.headers.get("x-request-id")}/content`;
      const words = await pollUntil({
        what: "what a call said",
        read: () => gateway.admin("GET", kept).then(JSON.stringify, () => ""),
        isThere: (words) => words !== "",
      });
      assert.match(words, /sunny/);
      assert.doesNotMatch(words, /xylophone/);
      await assertFits(page);
      await page.evaluate("window.confirm = () => true");
      await page.follow(
        `document.querySelector('form[action$="/forget-prompts"] button[type=submit]').click()`,
      );
      assert.match(await textOf(page), /Forgotten: nothing of what its calls said is kept/);
      await assert.rejects(gateway.admin("GET", kept), /404|not_found|Nothing is kept/);
      await page.evaluate(`${form}.elements.days.value = ""`);
      await page.follow(`${form}.querySelector("button[type=submit]").click()`);
      assert.match(await textOf(page), /Kept\s+no/);
      assertQuiet(gateway, page);
    });

    await test.step("after kill -9", async () => {
      await gateway.server.kill();
      const { dataDir } = gateway.server;
      await using again = await serveGateway({ dataDir });
      const kept = await again.cli("calls", "show", id, "--prompts");
      assert.match(JSON.stringify(kept.request), /xylophone/);
      assert.equal(kept.conversation.at(-1).role, "assistant");
      const none = await runTollgate(["calls", "show", quiet, "--prompts", "--data-dir", dataDir]);
      assert.equal(none.code, 1);
      assert.match(none.stderr, /Nothing is kept of what/);
      const { freed, bytes } = await again.cli("projects", "forget-prompts", "shop");
      assert.ok((freed ?? bytes) > 0);
      const rows = await again.cli("audit", "list", "--operation", "calls.content");
      assert.equal(rows.length, 3);
      const { differences } = await again.cli("ledger", "verify");
      assert.deepEqual(differences, []);
    });
  },
});
