/**
 * What a catalogue file may say of routes that make films.
 *
 * @module
 */

import assert from "node:assert/strict";
import { toFile } from "../support/catalogue_file.ts";
import { toCatalogue } from "../../src/catalog/to_catalogue.ts";
import { problemsOf, readGood } from "./example_file.ts";

/** A chat route on line 5, its further settings from column 7 of line 6 on. */
const inRoute = (settings: string) =>
  "providers: [{ id: p, kind: builtin }]\n" +
  `models:\n  - id: echo-1\n    kind: chat\n    routes: [{ id: r, provider: p,\n      ${settings} }]\n`;

/** The same for the built-in video model. */
const inFilmRoute = (settings: string) =>
  inRoute(settings).replace("id: echo-1", "id: video-2").replace("kind: chat", "kind: video");

/** Name, text, every line that must come out. */
const BAD: readonly (readonly [string, string, readonly string[]])[] = [
  ["seconds of chat", inRoute('free: true, cost: { second: { 640x360: "1" } }'), [
    "t.yaml:6:35: models[0].routes[0].cost.second: Only video models are priced per second: " +
    "remove it",
  ]],
  [
    "a size that is none",
    inFilmRoute('free: true, cost: { second: { big: "1" } }'),
    [
      "t.yaml:6:37: models[0].routes[0].cost.second.big: Expected a size such as 1280x720",
    ],
  ],
  ["tokens of video", inFilmRoute('sale: { second: "1", output: "1" }'), [
    "t.yaml:6:36: models[0].routes[0].sale.output: Video models are priced per second, " +
    "not per token: remove it",
  ]],
  ["a video block for chat", inRoute("free: true, video: { sizes: [640x360], seconds: [0] }"), [
    "t.yaml:6:26: models[0].routes[0].video: Only routes of video models have it: remove it",
    "t.yaml:6:56: models[0].routes[0].video.seconds[0]: Expected a number of at least 1",
  ]],
  ["a fault that films do not have", inFilmRoute("free: true, upstream_model: 'video-2:explode'"), [
    "t.yaml:6:35: models[0].routes[0].upstream_model: Cannot apply the fault 'explode' of a " +
    "built-in video model: use slow-N, fail, crash, stall",
  ]],
  ["a fault that chats do not have", inRoute("free: true, upstream_model: 'echo-1:nonsense'"), [
    "t.yaml:6:35: models[0].routes[0].upstream_model: Cannot apply the fault 'nonsense' of a " +
    "built-in chat model: use status-N, stall, stall-N, cut-N, slow-N, no-usage",
  ]],
  ["the renderer for chat", inRoute("free: true, upstream_model: video-2"), [
    "t.yaml:6:35: models[0].routes[0].upstream_model: The built-in provider chats with echo-1 " +
    "alone: write upstream_model: echo-1",
  ]],
  ["echo for films", inFilmRoute("free: true").replace("id: video-2", "id: echo-1"), [
    "t.yaml:5:14: models[0].routes[0]: The built-in provider makes films with video-2 alone: " +
    "write upstream_model: video-2",
  ]],
];

for (const [name, text, expected] of BAD) {
  Deno.test(`readCatalogueText() refuses ${name}`, () => {
    assert.deepEqual(problemsOf(text), expected);
  });
}

Deno.test("toFile() writes film routes that read back as the same catalogue", () => {
  const here = inFilmRoute("free: true");
  const elsewhere = here.replace("builtin", 'openai_compatible, base_url: "http://a"');
  for (const text of [here, elsewhere]) {
    const first = toCatalogue(readGood(text).value, { nowSeconds: 7 });
    const written = JSON.stringify(toFile(first.catalogue, first.projects));
    assert.deepEqual(toCatalogue(readGood(written).value, { nowSeconds: 7 }), first);
  }
});
