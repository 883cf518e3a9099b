/**
 * The reference in Chromium, served by the executable: it is read and searched at a phone's width and
 * a desk's, and what it says to paste is pasted.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runTool } from "../../support/outside_tool.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { chromiumPath, startBrowser } from "../videos/browser.ts";
import { assertFits, assertQuiet, enterConsole, textOf } from "./console_page.ts";

Deno.test("the reference is read in a browser", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async () => {
  await using gateway = await serveGateway();
  await using page = await startBrowser();
  await page.open(`${gateway.url}/console/sign-in`);
  await page.follow(`document.querySelector('a[href="/docs"]').click()`);
  await assertFits(page);
  await page.evaluate(`document.getElementById("q").value = "voice"`);
  await page.follow("document.forms[0].requestSubmit()");
  assert.match(await textOf(page), /POST \/v1\/audio\/speech/);
  await page.follow(`document.querySelector('a[href$="=createSpeech"]').click()`);
  assert.match(await textOf(page), /Takes[^]*voice[^]*Answers[^]*Other answers/);
  assert.equal(await page.evaluate("document.scripts.length"), 0);
  await page.open(`${gateway.url}/docs?operation=createChatCompletion`);
  await assertFits(page);
  await page.open(`${gateway.url}/docs/errors`);
  await assertFits(page);
  await enterConsole(gateway, page);
  await page.follow(`document.querySelector('nav a[href="/console/docs"]').click()`);
  assert.match(await textOf(page), /POST \/admin\/v1\/keys/);
  await page.open(`${gateway.url}/console/docs?operation=projects.set`);
  assert.match(await textOf(page), /For the roles operator, owner/);
  await assertFits(page);
  assertQuiet(gateway, page);
});

/** What the built-in models answer. */
const PASTED = [
  "createChatCompletion",
  "createEmbedding",
  "createMessage",
  "countMessageTokens",
  "createResponse",
  "countInputTokens",
  "createVideo",
  "listModels",
  "listVideos",
  "listFiles",
  "listBatches",
  "retrieveKey",
  "healthz",
  "readyz",
  "retrieveOpenApi",
];

Deno.test("requests of the reference answer when they are pasted", async () => {
  await using gateway = await serveGateway();
  for (const id of PASTED) {
    const html = await (await fetch(`${gateway.url}/docs?operation=${id}`)).text();
    const [, shown] = /<pre><code>([^]*?)<\/code><\/pre>/.exec(html)!;
    const entities: Record<string, string> = { quot: `"`, "#39": "'", amp: "&", lt: "<", gt: ">" };
    const text = shown!.replaceAll(/&(quot|#39|amp|lt|gt);/g, (_, name) => entities[name]!)
      .replaceAll("sk-tg-…", gateway.server.key)
      .replace(/^curl /, "curl --silent --show-error --fail-with-body ");
    const { code, stdout, stderr } = await runTool("bash", ["-ec", text]);
    assert.equal(code, 0, `${id}: ${stderr}${stdout}`);
    assert.ok(!("error" in JSON.parse(stdout)) || JSON.parse(stdout).error === null, stdout);
  }
});
