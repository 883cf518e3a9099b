/**
 * The list of prices: what vendors' routes take from it, and an operator's own rows over it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { bench } from "./vendor_bench.ts";

const LIST = {
  object: "list",
  data: [
    { id: "gpt-5-mini-2025-08-07", object: "model" },
    {
      id: "vendor/priced:free",
      context_length: 131072,
      top_provider: { max_completion_tokens: 4096 },
      pricing: { prompt: "0.000000075", completion: "0.0000003", input_cache_read: "0.00000001" },
    },
    { id: "-1 price", pricing: { prompt: "-1", completion: "-1" } },
    { id: "auto", pricing: { prompt: "-1", completion: "-1" } },
    { no: "name" },
  ],
};

bench("of OpenRouter all is added that it has a price for", async ({ out, run }) => {
  const lines = await out("providers add openrouter --yes");
  assert.match(lines, /^\+ route openrouter\/\*$/m);
  const explained = JSON.parse(
    await out("routes explain openrouter/anthropic/claude-opus-5.5 --max-tokens 1000 --json"),
  );
  assert.equal(explained.candidates[0]?.price.quote, "0.02400000");
  const none = await run("routes explain openrouter/nobody/nothing --json");
  assert.match(none.stdout, /unpriced/);
});

bench("of a model that is offered no longer its last day is told", async ({ out, said }) => {
  assert.match(
    await said("providers add openai --models sora-2 --yes"),
    /sora-2 was offered until 2026-09-24: /,
  );
  const row = (await out("prices list --vendor openai --kind video --model SORA-2-pro")).split(
    "\n",
  );
  assert.equal(row.length, 3);
  assert.match(row[1]!, /sora-2-pro +video +- +- +- +second 0\.30 +1 +2026-09-24/);
});

bench("a model without a row has no price, and is said to have none", async ({ out, said }) => {
  assert.match(
    await said("providers add mistral --models mistral-next --yes"),
    /No price known for mistral-next/,
  );
  const { settings } = JSON.parse(await out("routes show mistral/mistral-next --json"));
  assert.equal(settings.cost, undefined);
  assert.equal(settings.sale, undefined);
});

bench("what an operator has set stays when prices are brought up to date", async (on) => {
  await on.out("providers add openai --models gpt-5-mini --markup 1.2 --yes");
  await on.out("routes set openai/gpt-5-mini --weight 3");
  await Deno.writeTextFile(
    `${on.dataDir}/p.yaml`,
    `currency: USD
rows:
  - vendor: openai
    model: gpt-5-mini
    kind: chat
    cost: { input: "0.20", output: "1.50" }
    source: my contract
    date: 2026-11-22
`,
  );
  const alone = await on.run(`prices update ${on.dataDir}/p.yaml`);
  assert.equal(alone.code, 2);
  assert.match(alone.stderr, /^~ price openai\/gpt-5-mini: .*cost\.input 0\.25 → 0\.20/m);
  await on.out(`prices update ${on.dataDir}/p.yaml --yes`);
  assert.match(
    await on.out("prices list --vendor openai"),
    /gpt-5-mini +chat +0\.20 .*my contract/,
  );
  const lines = await on.out("providers add openai --models gpt-5-mini --yes");
  assert.match(lines, /^~ route openai\/gpt-5-mini: cost\.input 0\.25 → 0\.20/m);
  const { settings } = JSON.parse(await on.out("routes show openai/gpt-5-mini --json"));
  assert.deepEqual([settings.weight, settings.sale], [3, { markup: "1.20" }]);
  await on.out("providers set openai --base-url https://proxy.example/v1 --api-key env:OTHER");
  assert.match(
    await on.said("providers add openai --models gpt-5-mini --yes"),
    /Nothing to change/,
  );
});

bench("a row of one's own keeps what it leaves out", async ({ out, dataDir }) => {
  await out("providers add vllm --yes");
  await Deno.writeTextFile(
    `${dataDir}/p.yaml`,
    `currency: USD
rows:
  - vendor: openai
    model: gpt-5-mini
    kind: chat
    cost: { input: "0.20", output: "1.50" }
    source: my contract
    date: 2026-11-22
`,
  );
  assert.doesNotMatch(await out(`prices update ${dataDir}/p.yaml --yes`), /supports|pattern/);
  await out("providers add openai --models gpt-5-mini,gpt-5-mini-2025-08-07 --yes");
  for (const model of ["gpt-5-mini", "gpt-5-mini-2025-08-07"]) {
    const { settings } = JSON.parse(await out(`routes show openai/${model} --json`));
    assert.equal(settings.cost.input, "0.20");
    assert.equal(settings.supports.context_tokens, 400000);
  }
});

bench("a list of prices with a fault is refused with its place", async ({ run, dataDir, out }) => {
  await out("providers add vllm --yes");
  await Deno.writeTextFile(`${dataDir}/p.yaml`, "currency: USD\nrows: [{ vendor: nobody }]\n");
  const { code, stderr } = await run(`prices update ${dataDir}/p.yaml --yes`);
  assert.equal(code, 2);
  assert.match(stderr, /p\.yaml:2:\d+: rows\[0\]\.vendor/);
});

const OWN = (rows: string) => `currency: USD\nrows:\n${rows}`;
const CONTRACT = `  - vendor: openai
    model: gpt-5.4
    kind: chat
    cost: { input: "1.11", output: "2.22" }
    source: contract
    date: 2026-01-31
`;

bench(
  "a price that stands there twice is refused with its place, and nothing changes",
  async (on) => {
    await on.out("providers add vllm --yes");
    const file = `${on.dataDir}/p.yaml`;
    await Deno.writeTextFile(file, OWN(CONTRACT + CONTRACT.replace("1.11", "9.99")));
    const { code, stderr } = await on.run(`prices update ${file} --yes`);
    assert.equal(code, 2);
    assert.match(stderr, /p\.yaml:9:5: rows\[1\]: openai\/gpt-5\.4 is there already, as rows\[0\]/);
    assert.doesNotMatch(await on.out("prices list --vendor openai"), /1\.11|9\.99/);
  },
);

bench(
  "rows of one's own are taken back by a file without them, and old ones are told of",
  async (on) => {
    await on.out("providers add vllm --yes");
    const shipped = await on.out("prices list --vendor openai --model gpt-5.4 --json");
    const file = `${on.dataDir}/p.yaml`;
    await Deno.writeTextFile(file, OWN(CONTRACT + CONTRACT.replace("gpt-5.4", "mine")));
    assert.match(
      await on.said(`prices update ${file} --yes`),
      /The price of openai\/gpt-5\.4 is of 2026-01-31, older than the shipped one of \d{4}/,
    );
    assert.match(await on.out("prices list --vendor openai --model gpt-5.4"), /1\.11/);
    await Deno.writeTextFile(file, "currency: USD\nrows: []\n");
    assert.match(await on.said(`prices update ${file} --yes`), /Nothing to change/);
    const lines = await on.out(`prices update ${file} --replace --dry-run`);
    assert.match(lines, /^- price openai\/mine: input 1\.11, output 2\.22$/m);
    assert.match(lines, /^~ price openai\/gpt-5\.4: .*cost\.input 1\.11 → 2\.50/m);
    assert.equal(lines.trim().split("\n").length, 2);
    assert.match(await on.out("prices list --vendor openai --model gpt-5.4"), /1\.11/);
    await on.out(`prices update ${file} --replace --yes`);
    assert.equal(await on.out("prices list --vendor openai --model gpt-5.4 --json"), shipped);
  },
);

bench(
  "a list of prices that cannot be read keeps nobody from working",
  async ({ dataDir, out, run }) => {
    await out("providers add vllm --yes");
    await Deno.writeTextFile(`${dataDir}/prices.json`, "{");
    assert.match(await out("prices list --vendor openai"), /gpt-5-mini/);
    await Deno.writeTextFile(`${dataDir}/p.yaml`, "currency: USD\nrows: []\n");
    assert.match(
      (await run(`prices update ${dataDir}/p.yaml`)).stderr,
      /the shipped prices hold: it is no JSON/,
    );
  },
);

bench("in another currency the list has no prices to give", async ({ dataDir, out, said }) => {
  await Deno.mkdir(dataDir, { recursive: true });
  await Deno.writeTextFile(`${dataDir}/c.yaml`, "currency: EUR\n");
  await out(`apply ${dataDir}/c.yaml`);
  assert.match(
    await said("providers add openai --models gpt-5-mini --yes"),
    /in USD, and this catalogue in EUR/,
  );
  const { settings } = JSON.parse(await out("routes show openai/gpt-5-mini --json"));
  assert.equal(settings.cost, undefined);
});

bench("prices that an upstream lists itself go over the list, and no others", async (on) => {
  await using upstream = await startFakeUpstream(jsonReply(LIST));
  await Deno.writeTextFile(`${on.dataDir}.key`, "k");
  const key = `file:${on.dataDir}.key`;
  await on.out(`providers set az --kind azure --base-url ${upstream.url} --api-key ${key}`);
  await on.out("providers add azure --models * --base-url http://127.0.0.1:9 --yes");
  const { settings } = JSON.parse(await on.out("routes show azure/* --json"));
  assert.deepEqual([settings.sale, settings.cost], [{ markup: "1.00" }, undefined]);
  const prices = await on.out("providers models az --prices");
  assert.match(prices, /^currency: USD\nrows:\n {2}- \{ vendor: azure, model: vendor\/priced:free/);
  assert.equal(prices.trim().split("\n").length, 3);
  await Deno.writeTextFile(`${on.dataDir}/p.yaml`, prices);
  await on.out(`prices update ${on.dataDir}/p.yaml --yes`);
  const explained = JSON.parse(
    await on.out("routes explain azure/vendor/priced:free --max-tokens 1000 --json"),
  );
  assert.equal(explained.candidates[0].price.quote, "0.00037500");
});
