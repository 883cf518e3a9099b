/**
 * Wildcards that are priced by the list of prices: which names have a price, which version a call is
 * charged by, and what is stored however many names are made up.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { listRoutes } from "../../src/admin/catalogue/routes.ts";
import { disableRoute } from "../../src/admin/catalogue/route_switches.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { explainRoutes } from "../../src/admin/explain.ts";
import { verifyLedger } from "../../src/admin/ledger_check/check_ledger.ts";
import { updatePrices } from "../../src/admin/vendors/prices.ts";
import { applyCatalogue } from "../../src/admin/catalogue/apply_catalogue.ts";
import { answerBody } from "../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

const USAGE = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };

function catalogue(url: string): string {
  return `providers:
  - { id: up, kind: azure, base_url: "${url}", api_key: "env:KEY" }
  - { id: other, kind: openai_compatible, base_url: "${url}", auth: none }
models:
  - id: open/*
    kind: chat
    routes:
      - { id: open/*, provider: up, sale: { markup: "2" } }
  - id: nobody/*
    kind: chat
    routes:
      - { id: nobody/*, provider: other, sale: { markup: "2" } }
projects:
  - { id: paying, models: ["*"] }
`;
}

/** Rows of an operator's own, one of them for every name that begins so. */
function rows(input: string): string {
  return JSON.stringify({
    currency: "USD",
    rows: [
      { model: "named", cost: { input, output: "4.00" } },
      { model: "dated", pattern: "dated-2*", cost: { input: "3.00", output: "6.00" } },
      { model: "vectors", kind: "embedding", cost: { input: "0.10" } },
    ].map((row) => ({
      kind: "chat",
      vendor: "azure",
      source: "our contract",
      date: "2026-11-22",
      ...row,
    })),
  });
}

async function bench() {
  const upstream = await startFakeUpstream(() => jsonReply(answerBody("Hello", USAGE)));
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-test-" });
  const open = (text?: string) =>
    startTestGateway({ dataDir, secrets: { KEY: "k" }, ...(text && { catalogue: text }) });
  const gateway = await open(catalogue(upstream.url));
  await gateway.credit("paying", "10");
  const key = await gateway.key("paying");
  const on = {
    upstream,
    gateway,
    key,
    ask: (model: string) =>
      on.gateway.chat({ model, messages: [{ role: "user", content: "Hi" }] }, { key }),
    price: (input: string) =>
      runOperation(updatePrices, {
        deps: on.gateway.admin,
        input: { file: "own", text: rows(input) },
      }),
    async reopen() {
      await on.gateway.stop();
      on.gateway = await open();
    },
    async [Symbol.asyncDispose]() {
      await on.gateway.stop();
      await upstream.stop();
      await Deno.remove(dataDir, { recursive: true });
    },
  };
  return on;
}

/** Every price version that is stored. */
function versions({ dataDir }: TestGateway): number {
  const database = new DatabaseSync(`${dataDir}/tollgate.db`, { readOnly: true });
  try {
    return Number(database.prepare("SELECT count(*) AS n FROM price_versions").get()!.n);
  } finally {
    database.close();
  }
}

Deno.test("a name costs what the list says of it, and another that is like it", async () => {
  await using on = await bench();
  await on.price("2.00");
  for (const [name, cost] of [["open/named", "0.00240000"], ["open/dated-2026", "0.00360000"]]) {
    const response = await on.ask(name!);
    const { pricing, route, model } = await response.json();
    assert.deepEqual([response.status, route, model], [200, "open/*", name]);
    assert.equal(pricing.cost_amount, cost);
    assert.equal(Number(pricing.sale_amount), 2 * Number(cost));
  }
  const known = await (await fetch(`${on.gateway.url}/v1/models/open/named`, {
    headers: { authorization: `Bearer ${on.key}` },
  })).json();
  assert.equal(known.from_price, "4.00000000");
  assert.equal(known.pricing.output, "8.00000000");
});

Deno.test("a name that the list lacks, or has as another kind, is refused and asked of nobody", async () => {
  await using on = await bench();
  await on.price("2.00");
  for (const name of ["open/unknown", "open/vectors", "open/dated-1", "nobody/named"]) {
    const response = await on.ask(name);
    const { error } = await response.json();
    assert.equal(response.status, 404, name);
    assert.equal(error.routes[0].reason, "unpriced");
    assert.match(error.routes[0].detail, /^the list of prices has none for '/);
  }
  assert.equal(on.upstream.requests.length, 0);
});

Deno.test("explain says what a name holds, and what an operator can do for one without a price", async () => {
  await using on = await bench();
  await on.price("2.00");
  const named = await runOperation(explainRoutes, {
    deps: on.gateway.admin,
    input: {
      model: "open/named",
      project: "paying",
      max_tokens: 100,
    },
  });
  assert.equal(named.candidates[0]!.price.quote, "0.00480000");
  assert.ok(Number(named.candidates[0]!.hold) >= 0.0048);
  const unknown = await runOperation(explainRoutes, {
    deps: on.gateway.admin,
    input: { model: "open/unknown" },
  });
  assert.equal(unknown.rejected[0]!.reason, "unpriced");
  assert.match(unknown.notes.join(), /vendor azure and the model unknown.*tollgate prices update/);
  const other = await runOperation(explainRoutes, {
    deps: on.gateway.admin,
    input: { model: "nobody/x" },
  });
  assert.match(other.notes.join(), /of no vendor.*give the route cost/);
});

Deno.test("new prices of the list hold for the next call, and old calls keep theirs", async () => {
  await using on = await bench();
  await on.price("2.00");
  await on.ask("open/named");
  await on.price("5.00");
  const { pricing } = await (await on.ask("open/named")).json();
  assert.equal(pricing.cost_amount, "0.00540000");
  const { differences } = await runOperation(verifyLedger, { deps: on.gateway.admin, input: {} });
  assert.deepEqual(differences, []);
  await on.reopen();
  const again = await (await on.ask("open/named")).json();
  assert.equal(again.pricing.cost_amount, "0.00540000");
});

Deno.test("nothing is stored of names, and nothing anew for prices that are the same", async () => {
  await using on = await bench();
  await on.price("2.00");
  const before = versions(on.gateway);
  const { matching } = on.gateway.admin.catalogue.current;
  const held = new Set(
    ["named", "dated-2"].map((name) => matching(`open/${name}`)!.routes[0]!.prices),
  );
  for (let made = 0; made < 1_000_000; made++) {
    const model = matching(`open/dated-2${made}`)!;
    if (!held.has(model.routes[0]!.prices)) assert.fail("a price was made for a name");
  }
  for (let made = 0; made < 20; made++) await on.ask(`open/made-up-${made}`);
  await on.price("2.00");
  const text = catalogue(on.upstream.url).replace('["*"]', '["open/*"]')
    .replace("id: open/*, provider: up", "id: open/*, weight: 2, provider: up");
  await runOperation(applyCatalogue, { deps: on.gateway.admin, input: { text } });
  await on.reopen();
  assert.equal(versions(on.gateway), before);
  await on.price("2.50");
  assert.equal(versions(on.gateway), before + 1);
});

Deno.test("a route that an operator has disabled stays so when prices come", async () => {
  await using on = await bench();
  await runOperation(disableRoute, { deps: on.gateway.admin, input: { route: "open/*" } });
  await on.price("2.00");
  const { data } = await runOperation(listRoutes, { deps: on.gateway.admin, input: {} });
  assert.deepEqual(data.map(({ id, status }) => [id, status]), [
    ["open/*", "disabled"],
    ["nobody/*", "unpriced"],
  ]);
});

Deno.test("wildcards that the list has nothing for are told of when they are applied", async () => {
  await using on = await bench();
  const { warnings } = await runOperation(applyCatalogue, {
    deps: on.gateway.admin,
    input: { text: catalogue(on.upstream.url) },
  });
  const words = warnings.join("\n");
  assert.match(words, /Route nobody\/\* has no prices.*no vendor that the list of prices knows/);
});

Deno.test("only a wildcard has a markup of nothing", async () => {
  await using on = await bench();
  const text = catalogue(on.upstream.url).replaceAll("open/*", "open/one");
  await assert.rejects(
    runOperation(applyCatalogue, { deps: on.gateway.admin, input: { text } }),
    /sale\.markup: Needs cost/,
  );
});
