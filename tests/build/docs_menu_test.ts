/**
 * The menu of the documents' site has every document of the tree, and none that is not there.
 *
 * @module
 */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import config from "../../docs/site/.vitepress/config.mjs";

/** A place in the menu, as the site's generator has it. */
interface Place {
  readonly text: string;
  readonly link: string;
}

const places: readonly Place[] = config.themeConfig.sidebar.flatMap(({ items }) => items);
const documentOf = ({ link }: Place) => link.replace(/\/$/, "/README").slice(1) + ".md";

Deno.test("every document is in the menu once", () => {
  const documents = readdirSync("docs", { recursive: true, encoding: "utf8" })
    // The list of the reference's pages is the menu itself.
    .filter((name) => name.endsWith(".md") && name !== "reference/README.md")
    .map((name) => `docs/${name}`);
  const told = places.map(documentOf);
  assert.deepEqual(told.filter((path) => !existsSync(path)), [], "not there");
  assert.deepEqual(documents.filter((path) => !told.includes(path)), [], "not in the menu");
  assert.equal(new Set(told).size, told.length, "twice in the menu");
});

Deno.test("the list of engines leads to each one's page", () => {
  const list = readFileSync("docs/engines/README.md", "utf8");
  const pages = readdirSync("docs/engines").filter((name) => name !== "README.md");
  assert.deepEqual(pages.filter((name) => !list.includes(`](${name})`)), []);
});
