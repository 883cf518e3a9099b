/**
 * Holds the layout, the import direction and the house rules over the real module graph.
 *
 * @module
 */

import assert from "node:assert/strict";
import { checkCycles, checkFolders, checkImports } from "./support/architecture/import_rules.ts";
import { readModuleGraph } from "./support/architecture/module_graph.ts";
import { checkStarts } from "./support/architecture/start_rules.ts";
import { checkSources } from "./support/architecture/source_rules.ts";

const graph = await readModuleGraph();

Deno.test("the module graph is the real one", () => {
  const edges = graph.imports.map(({ from, to }) => `${from} → ${to}`);
  assert.ok(edges.includes("src/version.ts → deno.json"), "an import that exists is missing");
  assert.ok(graph.files.some(({ path }) => path === "main.ts"));
  assertNone(graph.unreadable);
});

Deno.test("imports follow the layout", () => assertNone(checkImports(graph)));
Deno.test("imports form no cycle", () => assertNone(checkCycles(graph)));
Deno.test("no two folders import each other", () => assertNone(checkFolders(graph)));
Deno.test("starts load what they need", () => assertNone(checkStarts(graph)));
Deno.test("files keep to the house rules", () => assertNone(checkSources(graph)));

function assertNone(violations: readonly string[]): void {
  assert.equal(violations.length, 0, `${violations.length} broken:\n${violations.join("\n")}`);
}
