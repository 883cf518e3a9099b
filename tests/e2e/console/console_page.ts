/**
 * The console in a browser: signing in, and what holds for every page of it.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { ServedGateway } from "../../support/served_gateway.ts";
import type { BrowserPage } from "../videos/browser.ts";
import { pollUntil } from "../videos/poll_until.ts";
import { seriousFaults } from "./accessibility.ts";

/** Signs in by a new link. */
export async function enterConsole(gateway: ServedGateway, page: BrowserPage): Promise<void> {
  const { url } = await gateway.cli("console");
  await page.open(url);
  await page.follow("document.forms[0].requestSubmit()");
  assert.equal(await page.evaluate("location.pathname"), "/console");
}

/** What is read on the page; one that moves may just be loading itself again. */
export async function textOf(page: BrowserPage): Promise<string> {
  return String(await untilThere(page, "document.body?.innerText"));
}

/** The value of an expression in the page, once it is something; the page may be another one until then. */
export async function untilThere(page: BrowserPage, expression: string): Promise<unknown> {
  return await pollUntil({
    what: expression,
    async read() {
      try {
        return await page.evaluate(expression);
      } catch (error) {
        if (error instanceof Error && /navigated or closed|context/.test(error.message)) {
          return false;
        }
        throw error;
      }
    },
    isThere: (found) => Boolean(found),
  });
}

/** A page fits a phone and a desk, light and dark, and axe finds nothing serious. */
export async function assertFits(page: BrowserPage): Promise<void> {
  const path = await page.evaluate("location.pathname");
  for (const [width, height] of [[1440, 900], [390, 844]] as const) {
    await page.resize(width, height);
    // Charts are drawn anew once the window has its size.
    await untilThere(page, "document.documentElement.scrollWidth <= innerWidth");
    for (const scheme of ["light", "dark"]) {
      await page.evaluate(`document.documentElement.style.colorScheme = "${scheme}"`);
      assert.deepEqual(await seriousFaults(page), [], `${path} at ${width}, ${scheme}`);
    }
  }
  await page.resize(1440, 900);
}

/** Nothing went wrong in any page so far, and nobody else was asked for anything. */
export function assertQuiet(gateway: ServedGateway, page: BrowserPage): void {
  assert.deepEqual(page.faults, []);
  const outside = page.requested.filter((url) =>
    !url.startsWith(gateway.url) && !/^(?:data|about|blob):/.test(url)
  );
  assert.deepEqual(outside, []);
}
