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

const SPARSE: readonly [name: string, settings: string, warnings: readonly string[]][] = [
  [
    "all rates under a condition",
    '{ input: "1", output: "2", when: [{ context_above: 9, input: "2", output: "4" }] }',
    [],
  ],
  [
    "a rate that only the base has",
    '{ input: "1", cached_input: "0.1", output: "2", when: [{ context_above: 9, input: "2", output: "4" }] }',
    ["cost under context_above 9 has no rate for cached_input: the one without this condition (0.10) is used"],
  ],
  [
    "the other side of a call",
    '{ input: "1", output: "2", request: "0.5", when: [{ service_tier: flex, input: "0.5" }] }',
    ["cost under service_tier flex has no rate for output: the one without this condition (2.00) is used"],
  ],
  [
    "a rate that only a condition has",
    '{ input: "1", output: "2", when: [{ service_tier: flex, input: "0.5", output: "1", cache_write_1h: "3", request: "1" }] }',
    [
      "cost has a rate for cache_write_1h under service_tier flex only: without it these cost what input does (1.00)",
      "cost has a rate for request under service_tier flex only: without it they count as 0",
    ],
  ],
  [
    "a rate that a condition before has given",
    '{ input: "1", output: "2", when: [{ service_tier: flex, input: "0.5", output: "1" }, { service_tier: flex, context_above: 9, input: "3" }] }',
    ["cost under service_tier flex, context_above 9 has no rate for output: the one without this condition (2.00, or that of another condition) is used"],
  ],
  [
    "an addition alone",
    '{ input: "1", output: "2", request: "1", when: [{ service_tier: flex, request: "2" }] }',
    [],
  ],
];

for (const [name, cost, expected] of SPARSE) {
  Deno.test(`readCatalogueText() says what is used where a price is sparse: ${name}`, () => {
    const warnings = readGood(inRoute(`cost: ${cost}, sale: { markup: "2" }`)).warnings;
    assert.deepEqual(
      warnings.map(formatProblem),
      expected.map((words) => `t.yaml:5:14: models[0].routes[0]: ${words}`),
    );
  });
}

Deno.test("readCatalogueText() warns of sparse rates of a sale, and not of films that are priced by size", () => {
  const sale = '{ input: "1", output: "2", when: [{ service_tier: flex, input: "0.5" }] }';
  const [warning, ...more] = readGood(inRoute(`sale: ${sale}`)).warnings;
  assert.match(warning!.message, /^sale under service_tier flex has no rate for output: /);
  assert.deepEqual(more, []);
  const sizes = '{ size: 640x360, second: "1" }, { size: 1280x720, second: "2" }';
  const film = "video: { sizes: [640x360, 1280x720], seconds: [1] }, " +
    `sale: { request: "1", when: [${sizes}] }`;
  assert.deepEqual(readGood(inFilmRoute(film)).warnings, []);
});
