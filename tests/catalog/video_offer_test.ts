/**
 * What video routes offer: defaults, prices, and the film a caller means.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Route, VideoOffer } from "../../src/domain/catalogue.ts";
import { formatProblem } from "../../src/documents/problem.ts";
import { unrenderableSize } from "../../src/providers/builtin/route_rules.ts";
import { planApply } from "../../src/catalog/difference.ts";
import { toCatalogue } from "../../src/catalog/to_catalogue.ts";
import { joinOffers, pricedOffer, videoOf } from "../../src/catalog/video_offer.ts";
import { bySize, model, prices, route } from "../support/catalogue_parts.ts";
import { problemsOf, readGood } from "./example_file.ts";

/** A file with one video route of provider `p`; `settings` follow `provider: p`. */
function filmFile(settings: string, { kind = "builtin", id = "video-2" } = {}): string {
  const url = kind === "builtin" ? "" : ', base_url: "http://127.0.0.1:9/v1"';
  return `providers: [{ id: p, kind: ${kind}${url} }]\nmodels:\n  - id: ${id}\n    kind: video\n` +
    `    routes: [{ id: r, provider: p,\n      ${settings} }]\n`;
}

function offerIn(text: string): VideoOffer | undefined {
  const { catalogue } = toCatalogue(readGood(text).value, { nowSeconds: 1 });
  return catalogue.models[0]?.routes[0]?.video;
}

Deno.test("toCatalogue() gives a video route without an offer its provider's default", () => {
  assert.deepEqual(offerIn(filmFile("free: true")), {
    sizes: ["720x1280", "1280x720", "1024x1792", "1792x1024", "640x360"],
    seconds: [4, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12],
    passFields: [],
  });
  assert.deepEqual(offerIn(filmFile("free: true", { kind: "openai_compatible" })), {
    sizes: ["720x1280", "1280x720", "1024x1792", "1792x1024"],
    seconds: [4, 8, 12],
    passFields: [],
  });
  const own = "free: true, video: { sizes: [640x360], seconds: [2] }";
  assert.deepEqual(offerIn(filmFile(own)), { sizes: ["640x360"], seconds: [2], passFields: [] });
  const chat = filmFile("free: true").replace("kind: video", "kind: chat")
    .replace("video-2", "echo-1");
  assert.equal(offerIn(chat), undefined);
});

Deno.test("planApply() knows the kind of a provider that only the database has", () => {
  const text = filmFile("free: true").replace(/^providers.*\n/, "");
  const provider = toCatalogue(readGood(filmFile("free: true")).value, { nowSeconds: 1 })
    .catalogue.providers[0]!;
  const read = readGood(text, [provider]);
  const catalogue = { currency: "USD", providers: [provider], models: [] };
  const planned = planApply({ catalogue, projects: [] }, read.value, { prune: false, nowMs: 1 });
  assert.ok(planned.ok);
  assert.equal(planned.catalogue.models[0]?.routes[0]?.video?.sizes.length, 5);
  const wrong = filmFile("free: true", { id: "sora" }).replace(/^providers.*\n/, "");
  assert.match(problemsOf(wrong, [provider]).join(), /makes films with video-2 alone/);
});

const RENDERER = "The built-in renderer cannot make this size: each side must be even, from 64 " +
  "to 1792, with at most 1835008 pixels";

const FAULTS: readonly (readonly [name: string, text: string, problems: readonly string[]])[] = [
  ["another model of the builtin provider", filmFile("free: true, upstream_model: sora-2"), [
    "t.yaml:6:35: models[0].routes[0].upstream_model: The built-in provider makes films with " +
    "video-2 alone: write upstream_model: video-2",
  ]],
  ["a model id that would be its upstream model", filmFile("free: true", { id: "sora" }), [
    "t.yaml:5:14: models[0].routes[0]: The built-in provider makes films with video-2 alone: " +
    "write upstream_model: video-2",
  ]],
  [
    "sizes and lengths that cannot be rendered",
    filmFile("free: true, video: { sizes: [640x360, 641x360, 3840x2160], seconds: [4, 13] }"),
    [
      `t.yaml:6:45: models[0].routes[0].video.sizes[1]: ${RENDERER}`,
      `t.yaml:6:54: models[0].routes[0].video.sizes[2]: ${RENDERER}`,
      "t.yaml:6:79: models[0].routes[0].video.seconds[1]: The built-in renderer makes films of " +
      "at most 12 seconds",
    ],
  ],
  [
    "fields passed to no upstream",
    filmFile("free: true, video: { sizes: [640x360], seconds: [4], pass_fields: [seed] }"),
    [
      "t.yaml:6:73: models[0].routes[0].video.pass_fields: A builtin route has no upstream: " +
      "remove it",
    ],
  ],
  [
    "rules on what was sold",
    filmFile("free: true, set: { seconds: 8 }, default: { size: 1x1 }, drop: [prompt, seed]", {
      kind: "openai_compatible",
    }),
    [
      "t.yaml:6:35: models[0].routes[0].set.seconds: This field is what was asked for and sold: " +
      "it cannot be changed by a rule",
      "t.yaml:6:57: models[0].routes[0].default.size: This field is what was asked for and " +
      "sold: it cannot be changed by a rule",
      "t.yaml:6:71: models[0].routes[0].drop[0]: This field is what was asked for and sold: it " +
      "cannot be changed by a rule",
    ],
  ],
];

for (const [name, text, problems] of FAULTS) {
  Deno.test(`readCatalogueText() refuses for a film: ${name}`, () => {
    assert.deepEqual(problemsOf(text), problems);
  });
}

Deno.test("readCatalogueText() takes the built-in video model with faults, and any other upstream", () => {
  readGood(filmFile("free: true, upstream_model: 'video-2:slow-20,fail'", { id: "sora" }));
  const upstream = "free: true, video: { sizes: [641x361], seconds: [60], pass_fields: [seed] }";
  readGood(filmFile(upstream, { kind: "openai_compatible", id: "wan" }));
  for (const size of ["64x64", "1792x1024", "1024x1792"]) {
    assert.equal(unrenderableSize(size), undefined, size);
  }
  for (const size of ["62x64", "1794x64", "1792x1026", "720x721"]) {
    assert.notEqual(unrenderableSize(size), undefined, size);
  }
});

Deno.test("readCatalogueText() takes of Veo what it makes, and nothing else", () => {
  const file = (video: string) =>
    filmFile(`free: true, video: { ${video} }`, { kind: "gemini", id: "veo" });
  const problems = (video: string) =>
    problemsOf(file(video)).map((problem) => problem.replace(/^.*routes\[0\]\.video\./, ""));
  readGood(file("sizes: [1280x720, 720x1280], seconds: [4, 6, 8]"));
  readGood(file("sizes: [1920x1080, 2160x3840], seconds: [4, 8]"));
  assert.deepEqual(problems("sizes: [640x360], seconds: [8], pass_fields: [last_frame]"), [
    "sizes[0]: Veo makes no such size: write one of 1280x720, 720x1280, 1920x1080, 1080x1920, " +
    "3840x2160, 2160x3840",
    "pass_fields[0]: Cannot be passed: of pictures a film takes its first one, as input_reference",
  ]);
});

Deno.test("readCatalogueText() warns of sizes that are offered or priced alone", () => {
  const warningsOf = (settings: string) =>
    readGood(filmFile(settings)).warnings.map((problem) =>
      formatProblem(problem).replace("t.yaml:5:14: models[0].routes[0]: ", "")
    );
  const offer = "video: { sizes: [640x360, 1280x720], seconds: [4] }";
  const both = 'second: { 640x360: "1", 1280x720: "2" }';
  const one = 'second: { 640x360: "1" }';
  assert.deepEqual(warningsOf(`${offer}, sale: { ${both} }`), []);
  assert.deepEqual(warningsOf(`${offer}, sale: { second: "1" }`), []);
  assert.deepEqual(warningsOf(`${offer}, cost: { ${one} }, sale: { ${both} }`), [
    "Without a cost for 1280x720, which then counts as 0: add its rate",
  ]);
  assert.deepEqual(warningsOf(`${offer}, cost: { ${one} }, sale: { markup: "2" }`), [
    "Unpriced for 1280x720: add its rate, or leave it out of video.sizes",
  ]);
  assert.deepEqual(
    warningsOf(`video: { sizes: [640x360], seconds: [4] }, sale: { ${both} }`),
    ["Priced for 1280x720, which it does not offer: add it to video.sizes"],
  );
  assert.equal(warningsOf(`sale: { ${both} }`).length, 3);
});

function film(id: string, video: VideoOffer, parts: Partial<Route> = {}): Route {
  const free = prices({ routeId: id, cost: undefined, sale: { kind: "free" } });
  return route({ id, providerId: id, prices: free, video, ...parts });
}

const A = film("a", { sizes: ["640x360", "1280x720"], seconds: [4, 8], passFields: ["seed"] });
const B = film("b", { sizes: ["1792x1024", "640x360"], seconds: [5], passFields: ["fps"] });
const BY_SIZE = prices({
  cost: undefined,
  sale: { kind: "rates", rates: bySize({ "1280x720": 1n }) },
});

Deno.test("pricedOffer() leaves out sizes that nobody can get", () => {
  assert.deepEqual(pricedOffer({ ...A, prices: BY_SIZE }), { ...A.video, sizes: ["1280x720"] });
  assert.deepEqual(pricedOffer({ ...A, prices: prices({ sale: undefined }) }).sizes, []);
  assert.deepEqual(pricedOffer({ ...A, video: undefined }).sizes, []);
});

Deno.test("joinOffers() names everything once, the first route's defaults first", () => {
  assert.deepEqual(joinOffers([A, B]), {
    sizes: ["640x360", "1280x720", "1792x1024"],
    seconds: [4, 8, 5],
    passFields: ["seed", "fps"],
  });
});

Deno.test("videoOf() fills in what was left out from the first route that fits the rest", () => {
  const wishes = { provider: undefined, route: undefined };
  const ask = (parts: object, routes: readonly Route[] = [A, B]) =>
    videoOf(model(routes, { kind: "video" }), {
      size: undefined,
      seconds: undefined,
      wishes,
      ...parts,
    });
  assert.deepEqual(ask({}), { size: "640x360", seconds: 4 });
  assert.deepEqual(ask({ size: "1280x720" }), { size: "1280x720", seconds: 4 });
  assert.deepEqual(ask({ size: "1792x1024" }), { size: "1792x1024", seconds: 5 });
  assert.deepEqual(ask({ seconds: 5 }), { size: "1792x1024", seconds: 5 });
  assert.deepEqual(ask({ wishes: { ...wishes, route: "b" } }), { size: "1792x1024", seconds: 5 });
  assert.deepEqual(ask({ wishes: { ...wishes, provider: "b" } })?.seconds, 5);
  // Routes in service come first, and of their sizes those with a price.
  assert.deepEqual(ask({}, [{ ...A, enabled: false }, B])?.size, "1792x1024");
  assert.deepEqual(ask({}, [{ ...A, maintenance: true }, B])?.size, "1792x1024");
  assert.deepEqual(ask({}, [{ ...A, prices: BY_SIZE }])?.size, "1280x720");
  // What nobody offers is refused later, as it was asked.
  assert.deepEqual(ask({ size: "1x1" }), { size: "1x1", seconds: 4 });
  assert.deepEqual(ask({ size: "1x1", seconds: 99 }, []), { size: "1x1", seconds: 99 });
  assert.equal(ask({}, [route()]), undefined);
});
