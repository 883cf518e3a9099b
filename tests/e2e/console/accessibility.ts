/**
 * What axe finds on a page that keeps somebody from using it.
 *
 * @module
 */

import axe from "axe-core/axe.min.js" with { type: "text" };
import type { BrowserPage } from "../videos/browser.ts";

/** Serious and critical faults, each with where it is. */
export async function seriousFaults(page: BrowserPage): Promise<readonly string[]> {
  await page.evaluate(`if (!("axe" in window)) { ${axe}; }`);
  return await page.evaluate(`axe.run(document).then(({ violations }) =>
    violations.filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))))`);
}
