/**
 * Prices under conditions in the catalogue file.
 *
 * @module
 */

import assert from "node:assert/strict";
import { readCatalogueText } from "../../src/catalog/read_file.ts";
import { toCatalogue } from "../../src/catalog/to_catalogue.ts";
import { toFile } from "../support/catalogue_file.ts";

function file(kind: string, cost: string): string {
  return `currency: USD
providers: [{ id: up, kind: openai_compatible, base_url: "https://up.example/v1" }]
models:
  - id: one
    kind: ${kind}
    routes: [{ id: up/one, provider: up, cost: ${
    cost.replaceAll("\n", " ")
  }, sale: { markup: "1.1" } }]
`;
}

function read(text: string) {
  const answer = readCatalogueText(text, { file: "t.yaml" });
  if (!answer.ok) assert.fail(JSON.stringify(answer));
  return toCatalogue(answer.value, { nowSeconds: 1 }).catalogue;
}

const STEPPED = `{ input: "2", output: "12", when: [
  { context_above: 200000, input: "4", output: "18" }, { service_tier: flex, input: "1" } ] }`;
const BY_SIZE = `{ when: [
  { size: 1280x720, second: "0.1" }, { size: 1280x720, quality: draft, second: "0.05" },
  { quality: best, second: "0.4" }, { size: 720x1280, second: "0.1" } ] }`;
const SIZES = `{ when: [{ size: 1280x720, second: "0.1" }, { size: 720x1280, second: "0.2" }] }`;
const FILM = `{ second: { 1280x720: "0.1" }, when: [
  { resolution: 1080p, second: "0.3" }, { resolution: 1080p, quality: draft, second: "0.2" } ] }`;

Deno.test("the file's conditions become conditions of rates, and are written back the same", () => {
  const { cost } = read(file("chat", STEPPED)).models[0]!.routes[0]!.prices;
  assert.deepEqual(cost, {
    input: 200_000_000n,
    output: 1_200_000_000n,
    when: [
      {
        condition: { contextAbove: 200_000 },
        rates: { input: 400_000_000n, output: 1_800_000_000n },
      },
      { condition: { serviceTier: "flex" }, rates: { input: 100_000_000n } },
    ],
  });
  const films = [FILM, BY_SIZE, SIZES].map((text) => file("video", text));
  for (const text of [file("chat", STEPPED), ...films]) {
    const catalogue = read(text);
    assert.deepEqual(read(JSON.stringify(toFile(catalogue))), catalogue);
  }
});

Deno.test("seconds by size are read as conditions of size, and written as these", () => {
  const catalogue = read(file(
    "video",
    `{ second: { 720x1280: "0.2", 1280x720: "0.1" }, when: [
    { quality: draft, second: "0.05" } ] }`,
  ));
  const when = [
    { size: "1280x720", second: "0.10" },
    { size: "720x1280", second: "0.20" },
    { quality: "draft", second: "0.05" },
  ];
  const [model] = toFile(catalogue).models as { routes: { cost: unknown }[] }[];
  assert.deepEqual(model!.routes[0]!.cost, { when });
});

Deno.test("the file refuses conditions that nothing can fulfil, and rates without any", () => {
  const cases = [
    ["chat", `{ input: "1", output: "1", when: [{ size: 1x1, input: "2" }] }`, "when[0].size"],
    ["video", `{ second: "1", when: [{ service_tier: a, second: "2" }] }`, "when[0].service_tier"],
    ["embedding", `{ input: "1", when: [{ service_tier: a, input: "2" }] }`, "service_tier"],
    ["video", `{ second: "1", when: [{ quality: a, input: "2" }] }`, "when[0].input"],
    ["video", `{ second: { 1x1: "1" }, when: [{ size: 1x1, second: "2" }] }`, "one of the two"],
    ["chat", `{ input: "1", output: "1", when: [{ input: "2" }] }`, "Needs a condition: "],
    ["chat", `{ input: "1", output: "1", when: [{ context_above: 5 }] }`, "at least one rate"],
    ["chat", `{ input: "1", output: "1", when: [{ service_tier: default, input: "2" }] }`, "usual"],
    ["chat", `{ input: "1", output: "1", when: [{ weather: wet, input: "2" }] }`, "weather"],
  ] as const;
  for (const [kind, cost, expected] of cases) {
    const answer = readCatalogueText(file(kind, cost), { file: "t.yaml" });
    assert.equal(answer.ok, false, cost);
    assert.ok(JSON.stringify(answer).includes(expected), `${cost}: ${JSON.stringify(answer)}`);
  }
});

Deno.test("the file refuses rules on a film's quality where its price depends on that", () => {
  const plain = file("video", FILM.replaceAll("quality: draft, ", ""));
  for (const rule of [`set: { quality: best }`, `default: { quality: best }`, `drop: [quality]`]) {
    const ruled = (text: string) =>
      text.replace("provider: up, cost", `provider: up, ${rule}, cost`);
    read(ruled(plain));
    const answer = readCatalogueText(ruled(file("video", FILM)), { file: "t.yaml" });
    const name = rule.split(":")[0]!;
    assert.ok(!answer.ok && answer.problems.length === 1, rule);
    assert.match(answer.problems[0]!.path, new RegExp(`routes\\[0\\]\\.${name}`));
  }
});
