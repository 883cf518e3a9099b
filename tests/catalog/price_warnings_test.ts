/**
 * What an operator is told of prices that a catalogue file lacks.
 *
 * @module
 */

import assert from "node:assert/strict";
import { formatProblem } from "../../src/documents/problem.ts";
import { readGood } from "./example_file.ts";

/** A chat route on line 5, its further settings on line 6. */
const inRoute = (settings: string) =>
  "providers: [{ id: p, kind: builtin }]\nmodels:\n  - id: echo-1\n    kind: chat\n" +
  `    routes: [{ id: r, provider: p,\n      ${settings} }]\n`;

/** The same for the built-in video model. */
const inFilmRoute = (settings: string) =>
  inRoute(settings).replace("id: echo-1", "id: video-2").replace("kind: chat", "kind: video");

Deno.test("readCatalogueText() warns of routes that can never serve", () => {
  const warningsOf = (text: string) => readGood(text).warnings.map(formatProblem);
  const at = "t.yaml:5:14: models[0].routes[0]: Unpriced, so it never serves: ";
  const chat = [`${at}add input and output rates, or free: true`];
  assert.deepEqual(warningsOf(inRoute("weight: 1")), chat);
  assert.deepEqual(warningsOf(inRoute('sale: { input: "1" }')), chat);
  assert.deepEqual(warningsOf(inRoute('cost: { output: "1" }, sale: { markup: "2" }')), chat);
  assert.deepEqual(warningsOf(inRoute("free: true")), []);
  assert.deepEqual(warningsOf(inRoute("sale: { free: true }")), []);
  assert.deepEqual(warningsOf(inRoute('sale: { input: "0", output: "0" }')), []);
  assert.deepEqual(warningsOf("models: [{ id: m, kind: chat }]"), [
    "t.yaml:1:10: models[0]: Has no routes: nothing serves it",
  ]);
  const sizes = "video: { sizes: [640x360, 1280x720], seconds: [1] }";
  const video = inFilmRoute(`${sizes}, sale: { second: { 640x360: "1" } }`);
  assert.deepEqual(warningsOf(video), [
    "t.yaml:5:14: models[0].routes[0]: Unpriced for 1280x720: add its rate, or leave it out of " +
    "video.sizes",
  ]);
});
