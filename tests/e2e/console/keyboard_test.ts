/**
 * The console by the keyboard alone: whatever can be done is reached by Tab, is seen to have the focus,
 * and is done by Enter.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { type BrowserPage, chromiumPath, startBrowser } from "../videos/browser.ts";
import { assertQuiet, textOf, untilThere } from "./console_page.ts";

/** More than any page has to stop at. */
const MOST_STOPS = 150;

Deno.test("a first key is made and used by the keyboard alone", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async (test) => {
  await using gateway = await serveGateway();
  await using page = await startBrowser();
  const hand = new Hand(page);

  await test.step("the link signs in", async () => {
    await page.open((await gateway.cli("console")).url);
    await hand.reach("button[type=submit]");
    await hand.enter("/console");
  });

  await test.step("the menu can be jumped over", async () => {
    await page.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.className"), "skip");
    await hand.assertSeen();
    await page.press("Enter");
    await page.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.closest('main') !== null"), true);
  });

  await test.step("a project is made", async () => {
    await page.open(`${gateway.url}/console`);
    await hand.reach('nav a[href="/console/projects"]');
    await hand.enter("/console/projects");
    await hand.reach('form[action="/console/projects"] [name=id]');
    await page.type("shop");
    await hand.enter("/console/projects/shop");
  });

  let key = "";
  await test.step("a key is made, and shown", async () => {
    await hand.reach('a[href="/console/keys?project=shop"]');
    await hand.enter("/console/keys");
    await hand.reach('form[action="/console/keys"] [name=name]');
    await page.type("by hand");
    await page.press("Enter");
    await untilThere(page, "document.getElementById('key')?.textContent");
    key = await page.evaluate("document.getElementById('key').textContent");
    assert.match(key, /^sk-tg-/);
  });

  await test.step("its call is found by a filter, and opened", async () => {
    const id = await call(gateway, key);
    await page.open(`${gateway.url}/console`);
    await hand.reach('nav a[href="/console/calls"]');
    await hand.enter("/console/calls");
    await hand.reach("summary");
    await page.press("Enter");
    await hand.reach("form.fields [name=project]");
    await page.type("shop");
    await page.press("Enter");
    await untilThere(page, "/project=shop/.test(location.search)");
    await hand.reach(`a[href="/console/calls/${id}"]`);
    await hand.enter(`/console/calls/${id}`);
    assert.match(await textOf(page), /builtin\/echo-1/);
  });

  await test.step("a chat is tried in the playground", async () => {
    await hand.reach('nav a[href="/console/playground"]');
    await hand.enter("/console/playground");
    await hand.reach("form [name=key]");
    await page.press("ArrowDown");
    await hand.reach("form [name=prompt]");
    await page.type("Hello by hand");
    await hand.reach("form button[type=submit]");
    await page.press("Enter");
    await untilThere(page, "/Price/.test(document.querySelector('#answers')?.innerText ?? '')");
    assert.match(await textOf(page), /You said: Hello by hand/);
  });
  assertQuiet(gateway, page);
});

/** A call that is answered; its id. */
async function call(gateway: ServedGateway, key: string): Promise<string> {
  await gateway.credit("shop", "5");
  const messages = [{ role: "user", content: "Hello" }];
  const answer = await gateway.chat(key, { model: "echo-1", messages });
  assert.equal(answer.status, 200);
  await answer.body?.cancel();
  return answer.headers.get("x-request-id")!;
}

/** Presses keys, and looks where they lead. */
class Hand {
  readonly #page: BrowserPage;

  constructor(page: BrowserPage) {
    this.#page = page;
  }

  /** Tabs until what a selector names has the focus; every stop on the way is seen to have it. */
  async reach(selector: string): Promise<void> {
    const stops: string[] = [];
    while (stops.length < MOST_STOPS) {
      await this.#page.press("Tab");
      const { name, isThere } = await this.#page.evaluate(`(() => {
        const { activeElement: at } = document;
        return {
          name: at.outerHTML.slice(0, 80),
          isThere: at.matches(${JSON.stringify(selector)}),
        };
      })()`);
      stops.push(name);
      await this.assertSeen();
      if (isThere) return;
    }
    assert.fail(`Tab does not lead to ${selector}, but to ${[...new Set(stops)].join("\n")}`);
  }

  /** Whoever looks at the page knows where the focus is. */
  async assertSeen(): Promise<void> {
    const { name, isBody, isOutlined, isVisible } = await this.#page.evaluate(`(() => {
      const { activeElement: at } = document;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(at);
      const { width, height, right, bottom } = at.getBoundingClientRect();
      return {
        name: at.outerHTML.slice(0, 120),
        isBody: at === document.body,
        isOutlined: (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none",
        isVisible: width > 0 && height > 0 && right > 0 && bottom > 0,
      };
    })()`);
    // Behind the last stop is the browser's own window.
    if (isBody) return;
    assert.ok(isOutlined, `nobody sees that ${name} has the focus`);
    assert.ok(isVisible, `${name} has the focus where nobody sees it`);
  }

  /** Presses Enter, and waits for the page that this leads to. */
  async enter(pathname: string): Promise<void> {
    await this.#page.press("Enter");
    await untilThere(
      this.#page,
      `location.pathname === ${JSON.stringify(pathname)} && document.readyState === "complete"`,
    );
  }
}
