/**
 * What a catalogue file may hold, and how each fault is shown.
 *
 * @module
 */

import assert from "node:assert/strict";
import { readCatalogueFile, readCatalogueText } from "../../src/catalog/read_file.ts";
import { toFile } from "../support/catalogue_file.ts";
import { toCatalogue } from "../../src/catalog/to_catalogue.ts";
import { PROVIDER_KINDS } from "../../src/providers/kinds.ts";
import { EXAMPLE_FILE, FULL_FILE, problemsOf, readGood } from "./example_file.ts";

const KINDS = PROVIDER_KINDS.map(({ name }) => name).join(", ");

const PROVIDER = "providers: [{ id: p, kind: builtin }]\n";
/** A chat route on line 5, its further settings from column 7 of line 6 on. */
const inRoute = (settings: string) =>
  `${PROVIDER}models:\n  - id: echo-1\n    kind: chat\n    routes: [{ id: r, provider: p,\n      ${settings} }]\n`;

const inProvider = (settings: string) =>
  `providers:\n  - { id: p, kind: openai_compatible, base_url: "http://h",\n      ${settings} }\n`;

/** Name, text, every line that must come out. */
const BAD: readonly (readonly [string, string, readonly string[]])[] = [
  ["nothing", "", ["t.yaml:1:1: Empty: expected a mapping of settings, found nothing"]],
  ["comments only", "# x\n\n", [
    "t.yaml:1:1: Empty: expected a mapping of settings, found nothing",
  ]],
  ["a list", "- 1\n", ["t.yaml:1:1: Expected a mapping, found a list"]],
  ["a word", "hello\n", ["t.yaml:1:1: Expected a mapping, found text"]],
  ["a duplicate key", "currency: USD\ncurrency: EUR\n", [
    "t.yaml:2:1: The same key twice in one mapping: keep one of them",
  ]],
  ["a duplicate key in JSON", '{"currency": "USD",\n "currency": "USD"}', [
    "t.yaml:2:2: The same key twice in one mapping: keep one of them",
  ]],
  ["two documents", "currency: USD\n---\ncurrency: USD\n", [
    "t.yaml:2:1: A second document starts here: a file holds one, remove the '---'",
  ]],
  ["an unclosed list", "providers: [\n", [
    "t.yaml:2:1: Flow sequence in block collection must be sufficiently indented and end with a ]",
  ]],
  ["a colon in a plain value", "currency: a: b\n", [
    "t.yaml:1:11: A ': ' inside a plain value: put the value in quotes, or use { key: value }",
  ]],
  ["an unknown anchor", "providers: *nothing\n", [
    "t.yaml:1:1: Unresolved alias (the anchor must be set before the alias): nothing",
  ]],
  ["an unknown tag", "currency: !secret USD\n", ["t.yaml:1:11: Unresolved tag: !secret"]],
  ["an unknown key", "currency: USD\nprovidors: []\n", [
    "t.yaml:2:1: providors: Unknown key: did you mean 'providers'?",
  ]],
  ["an unknown key like no other", "x: 1\n", [
    "t.yaml:1:1: x: Unknown key: known here are revision, currency, providers, models, projects",
  ]],
  ["a currency in words", "currency: dollars\n", [
    "t.yaml:1:11: currency: Expected three capital letters such as USD",
  ]],
  ["a value that is nothing", "models:\n", ["t.yaml:1:8: models: Expected a list, found nothing"]],
  ["an identifier with a space", "providers: [{ id: a b, kind: builtin }]\n", [
    "t.yaml:1:19: providers[0].id: Expected letters, digits, '.', '_' and '-', " +
    "starting with a letter or digit",
  ]],
  ["an identifier that is a number", "projects:\n  - id: 0123\n", [
    't.yaml:2:9: projects[0].id: Expected text, found the number 0123: put it in quotes, "0123"',
  ]],
  ["a provider without anything", "providers:\n  - {}\n", [
    "t.yaml:2:5: providers[0].id: Missing: expected text",
    `t.yaml:2:5: providers[0].kind: Expected one of ${KINDS}`,
  ]],
  ["an unknown kind", "providers:\n  - { id: p, kind: telepathy }\n", [
    `t.yaml:2:20: providers[0].kind: Expected one of ${KINDS}`,
  ]],
  ["no base_url", "providers:\n  - { id: p, kind: openai_compatible }\n", [
    "t.yaml:2:5: providers[0]: Missing: base_url, such as https://api.example.com/v1",
  ]],
  ["a builtin with a base_url", "providers:\n  - { id: p, kind: builtin, base_url: http://h }\n", [
    "t.yaml:2:39: providers[0].base_url: A builtin provider has none: remove it",
  ]],
  ["a timeout of 0", inProvider("timeouts: { idle_ms: 0, total_ms: 1.5 }"), [
    "t.yaml:3:28: providers[0].timeouts.idle_ms: Expected a number of at least 1",
    "t.yaml:3:41: providers[0].timeouts.total_ms: Expected a whole number, found a number",
  ]],
  ["a secret header", inProvider("headers: { Authorization: Bearer sk-hidden }"), [
    "t.yaml:3:18: providers[0].headers.Authorization: This header is set by the gateway itself; " +
    "a key belongs in api_key and auth",
  ]],
  ["smuggling headers", inProvider('headers: { Transfer-Encoding: chunked, "x\\ny": a }'), [
    "t.yaml:3:18: providers[0].headers.Transfer-Encoding: This header is set by the gateway " +
    "itself; a key belongs in api_key and auth",
    't.yaml:3:46: providers[0].headers["x\\ny"]: Expected a header name',
  ]],
  ["a line break in a header", inProvider('headers: { x: "a\\r\\nHost: b" }'), [
    "t.yaml:3:21: providers[0].headers.x: Expected text without control characters",
  ]],
  ["a header beyond Latin-1", inProvider("headers: { x: 日本 }"), [
    "t.yaml:3:21: providers[0].headers.x: Expected Latin-1 text, as HTTP headers carry no more",
  ]],
  ["a control character in the query", inProvider('query: { v: "a\\0b" }'), [
    "t.yaml:3:19: providers[0].query.v: Expected text without control characters",
  ]],
  ["auth without a key", inProvider("auth: bearer"), [
    "t.yaml:3:13: providers[0].auth: Needs api_key: add it, or write auth: none",
  ]],
  ["a key without auth", inProvider("auth: none, api_key: env:A"), [
    "t.yaml:3:13: providers[0].auth: none sends no key, but api_key is given: " +
    "remove one of them",
  ]],
  ["an unknown auth", inProvider("api_key: env:A, auth: basic"), [
    't.yaml:3:29: providers[0].auth: Expected bearer, none, "header: NAME" or { header: NAME }',
  ]],
  ["an auth header that frames messages", inProvider('api_key: env:A, auth: "header: Host"'), [
    't.yaml:3:29: providers[0].auth: Expected bearer, none, "header: NAME" or { header: NAME }',
  ]],
  [
    "a key sent twice",
    inProvider("api_key: env:A, auth: { header: X-Key }, headers: { x-key: b }"),
    [
      "t.yaml:3:66: providers[0].headers.x-key: Carries the key already, by auth: remove it here",
    ],
  ],
  ["two of a name", "projects: [{ id: a }, { id: b }, { id: a }]\n", [
    "t.yaml:1:40: projects[2].id: Another project has this name already: choose a different one",
  ]],
  [
    "an alias that is another model",
    "models: [{ id: a, kind: chat }, { id: b, kind: chat, aliases: [a] }]",
    [
      "t.yaml:1:64: models[1].aliases[0]: Another model or alias has this name already: " +
      "choose a different one",
    ],
  ],
  ["a pattern in the middle", "projects:\n  - { id: a, models: [gpt-*-mini] }\n", [
    "t.yaml:2:23: projects[0].models[0]: Expected a model id, a prefix that ends in '*', or '*'",
  ]],
  ["a limit of nothing", "projects:\n  - { id: a, limits: { concurrent: 0 } }\n", [
    "t.yaml:2:36: projects[0].limits.concurrent: Expected a number of at least 1",
  ]],
  ["an unknown provider", inRoute("free: true").replace("provider: p", "provider: q"), [
    "t.yaml:5:33: models[0].routes[0].provider: No provider has the id 'q': add it under providers",
  ]],
  ["two routes of a name", inRoute("free: true }, { id: r, provider: p, free: true"), [
    "t.yaml:6:27: models[0].routes[1].id: Another route has this name already: " +
    "choose a different one",
  ]],
  ["a price as a number", inRoute('sale: { input: 0.10, output: "1" }'), [
    "t.yaml:6:22: models[0].routes[0].sale.input: Expected text, found the number 0.10: " +
    'put it in quotes, "0.10"',
  ]],
  [
    "a route that is free and sold",
    inRoute('free: true, sale: { markup: "1" }, cost: { input: "1" }'),
    [
      "t.yaml:6:13: models[0].routes[0].free: Given together with sale: remove one of them",
    ],
  ],
  ["free: false", inRoute("free: false"), ["t.yaml:6:13: models[0].routes[0].free: Expected true"]],
  ["markup without cost", inRoute('sale: { markup: "1.1" }'), [
    "t.yaml:6:23: models[0].routes[0].sale.markup: Needs cost: add the route's cost, or give rates",
  ]],
  ["markup and rates", inRoute('cost: { input: "1" }, sale: { markup: "1.1", input: "1" }'), [
    "t.yaml:6:35: models[0].routes[0].sale: Needs exactly one of rates, markup and free: " +
    "found rates and markup",
  ]],
  ["a markup of 0", inRoute('cost: { input: "1" }, sale: { markup: "0" }'), [
    "t.yaml:6:45: models[0].routes[0].sale.markup: Expected a factor above 0 and at most 1000; " +
    "to sell for nothing write free: true",
  ]],
  ["an empty cost", inRoute("cost: {}, free: true"), [
    "t.yaml:6:13: models[0].routes[0].cost: Needs at least one rate; " +
    "without cost the route costs nothing",
  ]],
  ["a risk level", inRoute("free: true, risk_level: none"), [
    "t.yaml:6:31: models[0].routes[0].risk_level: Expected one of low, medium, high",
  ]],
  ["a weight of 0", inRoute("free: true, weight: 0"), [
    "t.yaml:6:27: models[0].routes[0].weight: Expected a number above 0",
  ]],
  ["an infinite weight", inRoute("free: true, weight: .inf"), [
    "t.yaml:6:27: models[0].routes[0].weight: Expected a finite number",
  ]],
  ["a word for a switch", inRoute("free: true, enabled: yes"), [
    "t.yaml:6:28: models[0].routes[0].enabled: Expected true or false, found text",
  ]],
  [
    "a rule on the model",
    inRoute("free: true, set: { model: x }, drop: [stream], default: { n: 2 }"),
    [
      "t.yaml:6:26: models[0].routes[0].set.model: This field is the caller's or the gateway's: " +
      "it cannot be changed by a rule",
      "t.yaml:6:45: models[0].routes[0].drop[0]: This field is the caller's or the gateway's: " +
      "it cannot be changed by a rule",
      "t.yaml:6:65: models[0].routes[0].default.n: The number of choices is the caller's: " +
      "it cannot be changed by a rule",
    ],
  ],
  ["two rules on one field", inRoute("free: true, set: { a: 1 }, default: { a: 2 }, drop: [a]"), [
    "t.yaml:6:48: models[0].routes[0].default.a: The field is in set already: one rule per field",
    "t.yaml:6:60: models[0].routes[0].drop[0]: The field is in set already: one rule per field",
  ]],
  ["what is no type of a tool", inRoute("free: true, drop_tools: [web_search, '*_search', '']"), [
    "t.yaml:6:44: models[0].routes[0].drop_tools[1]: Expected the type of a tool, such as " +
    "web_search, or its beginning and *",
    "t.yaml:6:56: models[0].routes[0].drop_tools[2]: Expected the type of a tool, such as " +
    "web_search, or its beginning and *",
  ]],
  ["a value that contains itself", inRoute("free: true, set: { a: &x [*x] }"), [
    "t.yaml:6:33: models[0].routes[0].set.a[0]: An alias to a part that contains it",
  ]],
];

for (const [name, text, expected] of BAD) {
  Deno.test(`readCatalogueText() refuses ${name}`, () => {
    assert.deepEqual(problemsOf(text), expected);
  });
}

Deno.test("readCatalogueText() refuses prices that are not exact decimals in range", () => {
  const bad = [
    "",
    "1e3",
    "-1",
    "+1",
    "1,5",
    ".5",
    "5.",
    "0x1",
    "NaN",
    " 1",
    "0.123456789",
    "12345678",
  ];
  for (const price of bad) {
    const [line, ...more] = problemsOf(inRoute(`sale: { input: ${JSON.stringify(price)} }`));
    assert.match(line ?? "", /sale\.input: Expected a decimal in quotes such as "0\.25"/, price);
    assert.deepEqual(more, []);
  }
  assert.deepEqual(problemsOf(inRoute('sale: { input: "1000000.00000001" }')), [
    "t.yaml:6:22: models[0].routes[0].sale.input: Expected a price of at most 1000000",
  ]);
  readGood(inRoute('sale: { input: "1000000.00000000" }'));
});

Deno.test("readCatalogueText() refuses base URLs that are more or less than a place", () => {
  const bad: readonly (readonly [string, RegExp])[] = [
    ["api.example.com/v1", /Expected a URL such as/],
    ["ftp://example.com", /starts with https:/],
    ["file:///etc/passwd", /starts with https:/],
    ["https://me:hidden@example.com", /without user name and password/],
    ["https://example.com/v1?key=hidden", /without '\?'/],
    ["https://example.com/v1#top", /without '#'/],
  ];
  for (const [url, message] of bad) {
    const [line, ...more] = problemsOf(
      `providers:\n- { id: p, kind: openai_compatible, base_url: "${url}" }\n`,
    );
    assert.match(line ?? "", message);
    assert.doesNotMatch(line ?? "", /hidden/);
    assert.deepEqual(more, []);
  }
});

Deno.test("readCatalogueText() refuses literal secrets without repeating them", () => {
  for (
    const key of [
      "sk-hidden",
      "env:",
      "env:A-hidden",
      "file:hidden/relative",
      "env:A\\nhidden",
      "credential:",
      "credential:../hidden",
    ]
  ) {
    for (const value of [`"${key}"`, `[env:A, "${key}"]`]) {
      const lines = problemsOf(inProvider(`api_key: ${value}`));
      assert.equal(lines.length, 1, key);
      assert.match(lines[0]!, /^t\.yaml:3:\d+: .*write env:NAME for an environment variable/);
      assert.doesNotMatch(lines[0]!, /hidden/);
    }
  }
});

Deno.test("readCatalogueText() bounds aliases, depth and size", () => {
  const nine = (name: string) => `[${Array(9).fill(`*${name}`).join(", ")}]`;
  const laughs = `a: &a [x]\nb: &b ${nine("a")}\nc: &c ${nine("b")}\nd: &d ${nine("c")}\ne: ${
    nine("d")
  }\n`;
  assert.deepEqual(problemsOf(laughs), [
    "t.yaml:1:1: Excessive alias count indicates a resource exhaustion attack",
  ]);
  assert.match(problemsOf("[".repeat(50_000)).join("\n"), /Nested too deeply/);
  assert.match(problemsOf(`a: ${"[".repeat(300)}${"]".repeat(300)}`)[0]!, /: Nested too deeply$/);
  assert.deepEqual(problemsOf(" ".repeat(16 * 1024 * 1024 + 1)), [
    "t.yaml: Larger than 16777216 characters",
  ]);
});

Deno.test("readCatalogueText() takes anchors that people write, a BOM, CRLF and JSON", () => {
  const read = readGood(
    "\uFEFFproviders: [{ id: p, kind: openai_compatible, base_url: 'http://h' }]\r\nmodels:\r\n" +
      "- id: a\r\n  kind: chat\r\n  routes: [{ id: a, provider: p, sale: &s { input: '1', output: '2' } }]\r\n" +
      "- id: b\r\n  kind: chat\r\n  routes: [{ id: b, provider: p, sale: *s }]\r\n",
  );
  assert.deepEqual(read.value.models[1]?.routes[0]?.sale, { input: "1", output: "2" });
  assert.deepEqual(read.warnings, []);
  assert.equal(readGood('{"currency": "CHF"}').value.currency, "CHF");
  assert.equal(readGood("{}").value.currency, "USD");
});

Deno.test("readCatalogueText() accepts every way to write a key's header", () => {
  const ways: readonly (readonly [string, unknown])[] = [
    ["api_key: env:A", { kind: "bearer" }],
    ["api_key: env:A, auth: bearer", { kind: "bearer" }],
    ['api_key: env:A, auth: "header: api-key"', { kind: "header", name: "api-key" }],
    ["api_key: env:A, auth: { header: api-key }", { kind: "header", name: "api-key" }],
    ["api_key: env:A, auth: { header: Authorization }", { kind: "header", name: "Authorization" }],
    ["auth: none", { kind: "none" }],
    ["official: false", { kind: "none" }],
  ];
  for (const [settings, auth] of ways) {
    const { catalogue } = toCatalogue(readGood(inProvider(settings)).value, { nowSeconds: 1 });
    assert.deepEqual(catalogue.providers[0]?.auth, auth, settings);
  }
});

Deno.test("readCatalogueText() accepts providers that exist already", () => {
  const text = inRoute("free: true").replace(PROVIDER, "");
  assert.equal(problemsOf(text).length, 1);
  readGood(text, [{ id: "p", kind: "openai_compatible" }]);
});

Deno.test("toFile() writes what reads back as the same catalogue", () => {
  for (const text of [EXAMPLE_FILE, FULL_FILE]) {
    const first = toCatalogue(readGood(text).value, { nowSeconds: 7 });
    const written = JSON.stringify(toFile(first.catalogue, first.projects));
    assert.deepEqual(toCatalogue(readGood(written).value, { nowSeconds: 7 }), first);
  }
});

Deno.test("readCatalogueFile() reads files and says why it cannot", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const good = `${folder}/good.yaml`;
    await Deno.writeTextFile(good, EXAMPLE_FILE);
    assert.equal(await readCatalogueFile(good), EXAMPLE_FILE);

    const latin1 = `${folder}/latin1.yaml`;
    await Deno.writeFile(latin1, new Uint8Array([0x63, 0x3a, 0x20, 0xe9, 0x0a]));
    const faults: readonly (readonly [string, string])[] = [
      [latin1, "it is not UTF-8 text; save it as UTF-8"],
      [`${folder}/none.yaml`, "it does not exist"],
      [folder, "it is a folder"],
    ];
    for (const [path, reason] of faults) {
      await assert.rejects(readCatalogueFile(path), {
        error: "invalid_value",
        message: `Cannot read the catalogue file ${path}: ${reason}`,
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("readCatalogueText() reads 2,000 routes", () => {
  const routes = Array.from(
    { length: 2000 },
    (_, index) => `{id: r${index}, provider: p, upstream_model: echo-1, free: true}`,
  );
  const text = `${PROVIDER}models: [{ id: m, kind: chat, routes: [${routes.join(",\n  ")}] }]`;
  const read = readCatalogueText(text, { file: "t.yaml" });
  assert.ok(read.ok);
  assert.equal(read.value.models[0]?.routes.length, 2000);
});
