/**
 * The playground in a browser: its form, and what came of it.
 *
 * @module
 */

import type { BrowserPage } from "../videos/browser.ts";
import { untilThere } from "./console_page.ts";

/** Writes into fields of the playground's form. */
export async function fill(
  page: BrowserPage,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  await page.evaluate(`(() => {
    const form = document.querySelector("form[data-play]");
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
      form.elements[name].value = value;
    }
  })()`);
}

/** Makes the call that the form asks. */
export async function run(page: BrowserPage): Promise<void> {
  await page.evaluate("document.querySelector('form[data-play]').requestSubmit()");
}

/** What the answers say. */
export async function answersOf(page: BrowserPage): Promise<string> {
  return await page.evaluate("document.getElementById('answers').innerText");
}

/** What the conversation so far says. */
export async function turnsOf(page: BrowserPage): Promise<string> {
  return await page.evaluate("document.getElementById('turns').innerText");
}

/** What a button writes that says the same in another language. */
export async function snippetOf(page: BrowserPage, name: string): Promise<string> {
  await page.evaluate("document.getElementById('snippet').textContent = ''");
  await page.evaluate(`document.querySelector('[data-snippet="${name}"]').click()`);
  return await untilThere(page, "document.getElementById('snippet').textContent") as string;
}
