/**
 * Pictures at the playground: those that go along with a prompt, and those that a model makes.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { chromiumPath, startBrowser } from "../videos/browser.ts";
import { pollUntil } from "../videos/poll_until.ts";
import { assertFits, assertQuiet, enterConsole, untilThere } from "./console_page.ts";
import { answersOf, fill, run, snippetOf, turnsOf } from "./play_page.ts";

/** One red pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAA" +
  "AElFTkSuQmCC";
const MIB = 1024 * 1024;
const ignore = chromiumPath === undefined && Deno.env.get("CI") !== "true";

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: said
    kind: chat
    routes: [{ id: builtin/said, provider: builtin, upstream_model: echo-1, free: true }]
projects:
  - { id: shop, unlimited: true }
`;

Deno.test("pictures that go along are seen and bounded, and the last turn can be edited", {
  ignore,
}, async (test) => {
  await using gateway = await serveGateway({ catalogue: CATALOGUE });
  await gateway.key("shop");
  await using page = await startBrowser();
  await enterConsole(gateway, page);
  await page.open(`${gateway.url}/console/playground?do=chat&model=said`);
  const calls = async () => (await gateway.admin("GET", "/calls?project=shop")).data.length;
  /** Chooses files as a person does: each has so many bytes behind the picture. */
  const choose = (files: readonly (readonly [name: string, type: string, more: number])[]) =>
    page.evaluate(`(() => {
      const input = document.querySelector("[name=images]");
      const chosen = new DataTransfer();
      const png = Uint8Array.from(atob("${PNG}"), (one) => one.charCodeAt(0));
      for (const [name, type, more] of ${JSON.stringify(files)}) {
        chosen.items.add(new File([png, new Uint8Array(more)], name, { type }));
      }
      input.files = chosen.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
  const wrong = () =>
    page.evaluate(`(() => {
      const place = document.querySelector("[data-pictures-wrong]");
      return place.hidden ? "" : place.textContent;
    })()`);
  const status = () => page.evaluate("document.getElementById('play-status').textContent");
  const widths =
    "[...document.querySelectorAll('[data-pictures] img')].map((one) => one.naturalWidth)";

  await test.step("each is seen, and can be taken away", async () => {
    await choose([["one.png", "image/png", 0], [`<b>"two".png`, "image/png", 0]]);
    await untilThere(page, `${widths}.join() === "1,1"`);
    await assertFits(page);
    await page.evaluate("document.querySelector('[data-pictures] button').click()");
    await untilThere(page, "document.querySelectorAll('[data-pictures] li').length === 1");
    assert.match(
      await page.evaluate("document.querySelector('[data-pictures]').innerText"),
      /^<b>"two"\.png, 0\.0 MiB/,
    );
    assert.equal(await page.evaluate("document.querySelector('[name=images]').files.length"), 1);
  });

  await test.step("what is too large, too many or no picture is refused before it is sent", async () => {
    const before = await calls();
    for (
      const [files, sentence] of [
        [[["big.png", "image/png", 5 * MIB]], /^big\.png has 5\.0 MiB, .* may have 5\.0 MiB: make/],
        [[["x.svg", "image/svg+xml", 0]], /^x\.svg is no picture that models take: choose PNG/],
        [
          Array.from({ length: 9 }, (_, at) => [`${at}.png`, "image/png", 0]),
          /^These are 9 pictures, and a call may have 8: take some away/,
        ],
        [
          ["a", "b", "c"].map((name) => [`${name}.png`, "image/png", 4.5 * MIB]),
          /^The pictures of a call have 13\.5 MiB together, and may have 12\.0 MiB/,
        ],
      ] as const
    ) {
      await choose(files as never);
      await untilThere(page, "!document.querySelector('[data-pictures-wrong]').hidden");
      assert.match(await wrong(), sentence);
      await fill(page, { prompt: "What is this?" });
      await run(page);
      await untilThere(page, "document.getElementById('play-status').className === 'notice bad'");
      assert.match(await status(), sentence);
    }
    await assertFits(page);
    assert.equal(await calls(), before);
  });

  await test.step("those of the conversation so far count, and the last turn is edited", async () => {
    const goOn = () =>
      page.evaluate(`[...document.querySelectorAll("#answers button")]
        .find(({ textContent }) => textContent === "Go on from here").click()`);
    const answered = () =>
      untilThere(page, "/Price/.test(document.querySelector('#answers').innerText)");
    await choose(Array.from({ length: 6 }, (_, at) => [`${at}.png`, "image/png", 0] as const));
    await untilThere(page, "document.querySelector('[data-pictures-wrong]').hidden");
    await fill(page, { prompt: "First of all" });
    await run(page);
    await answered();
    await goOn();
    assert.equal(await page.evaluate("document.querySelector('[data-pictures]').hidden"), true);
    assert.equal(await page.evaluate("document.querySelectorAll('#turns img').length"), 6);
    await choose(Array.from({ length: 3 }, (_, at) => [`${at}.png`, "image/png", 0] as const));
    await fill(page, { prompt: "And these?" });
    await run(page);
    await untilThere(page, "document.getElementById('play-status').className === 'notice bad'");
    assert.match(await status(), /^These are 9 pictures, 6 of them in the conversation so far/);
    await choose([["7.png", "image/png", 0]]);
    await run(page);
    await answered();
    await goOn();
    assert.match(await turnsOf(page), /First of all[^]*And these\?/);
    await page.evaluate("document.querySelector('#turns li button').click()");
    assert.equal(await page.evaluate("document.querySelectorAll('#turns li button').length"), 1);
    assert.match(await turnsOf(page), /First of all/);
    assert.doesNotMatch(await turnsOf(page), /And these\?/);
    assert.equal(
      await page.evaluate("document.querySelector('[name=prompt]').value"),
      "And these?",
    );
    await untilThere(page, `${widths}.join() === "1"`);
    await fill(page, { prompt: "And this one?" });
    const { messages } = JSON.parse(/-d '([^]*)'/.exec(await snippetOf(page, "curl"))![1]!);
    assert.deepEqual(messages.map(({ role }: { role: string }) => role), [
      "user",
      "assistant",
      "user",
    ]);
    assert.deepEqual(messages[2].content, [
      { type: "text", text: "And this one?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
    ]);
    await run(page);
    await answered();
    assert.match(await answersOf(page), /And this one\?/);
    await goOn();
    await assertFits(page);
    await page.evaluate("document.querySelector('#turns li button').click()");
    await page.evaluate("document.querySelector('#turns li button').click()");
    assert.equal(await page.evaluate("document.querySelector('#turns').hidden"), true);
    assert.equal(
      await page.evaluate("document.querySelector('[name=prompt]').value"),
      "First of all",
    );
  });
  assertQuiet(gateway, page);
});

Deno.test("images that a model makes are seen, and saved as the files they are", {
  ignore,
}, async () => {
  await using upstream = await startFakeUpstream(jsonReply({
    created: 1_700_000_000,
    data: [{ b64_json: PNG }, { b64_json: PNG }],
    output_format: "png",
  }));
  await using gateway = await serveGateway({
    catalogue: `
providers:
  - { id: up, kind: openai_compatible, base_url: "${upstream.url}/v1" }
models:
  - id: painter
    kind: image
    routes: [{ id: up/painter, provider: up, upstream_model: their-painter, free: true }]
projects:
  - { id: shop, unlimited: true }
`,
  });
  await gateway.key("shop");
  await using page = await startBrowser();
  await enterConsole(gateway, page);
  const folder = await Deno.makeTempDir();
  await page.saveTo(folder);
  await page.open(`${gateway.url}/console/playground?do=images&model=painter`);
  await fill(page, { prompt: "A red pixel", n: "2", size: "1024x1024" });
  await run(page);
  await untilThere(page, "/Request/.test(document.querySelector('#answers').innerText)");
  await untilThere(
    page,
    "[...document.querySelectorAll('#answers img')].map((one) => one.naturalWidth).join() === '1,1'",
  );
  assert.match(await answersOf(page), /Save image-1\.png, 0\.0 MiB[^]*Route\s+up\/painter/);
  const { n, prompt, model } = upstream.requests[0]!.json() as Record<string, unknown>;
  assert.deepEqual([n, prompt, model], [2, "A red pixel", "their-painter"]);
  await assertFits(page);
  await page.evaluate("document.querySelectorAll('#answers a[download]')[1].click()");
  const saved = await pollUntil({
    what: "the saved image",
    read: () => Deno.readFile(`${folder}/image-2.png`).catch(() => undefined),
    isThere: (bytes) => bytes !== undefined && bytes.length > 0,
  });
  assert.equal(saved!.toBase64(), PNG);
  assertQuiet(gateway, page);
  await Deno.remove(folder, { recursive: true });
});
