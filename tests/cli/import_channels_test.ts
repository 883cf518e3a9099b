/**
 * Channels of One API and New API as catalogue files.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parse } from "yaml";
import { imported } from "./imported.ts";

const CHANNELS = JSON.stringify({
  success: true,
  data: [
    {
      id: 7,
      type: 1,
      key: "sk-channel-0123456789",
      name: "openai",
      status: 1,
      weight: 2,
      priority: 5,
      models: "gpt-5-mini,text-embedding-3-small,mine",
      model_mapping: '{"mine":"gpt-5"}',
      group: "vip",
    },
    { id: 8, type: 1, key: "k", status: 2, base_url: "https://llm.example", models: "llama" },
    { id: 9, type: 8, base_url: "https://api.mistral.ai", models: "codestral-2508" },
    { id: 10, type: 999, models: "x" },
  ],
});

Deno.test("channels of One API become providers and routes", async () => {
  const { stdout, stderr } = await imported("one-api", CHANNELS);
  const { providers, models } = parse(stdout);
  assert.deepEqual(
    providers.map(({ id, api_key, base_url }: Record<string, string>) => [id, api_key, base_url]),
    [
      ["openai", "env:CHANNEL_7_KEY", "https://api.openai.com/v1"],
      ["server", "env:CHANNEL_8_KEY", "https://llm.example/v1"],
      ["mistral", "env:CHANNEL_9_KEY", "https://api.mistral.ai/v1"],
    ],
  );
  const route = (id: string) => models.find((one: { id: string }) => one.id === id).routes[0];
  assert.equal(route("mine").upstream_model, "gpt-5");
  assert.equal(route("gpt-5-mini").weight, 2);
  assert.equal(route("llama").enabled, false);
  // There the largest priority goes first.
  assert.deepEqual([route("mine").priority, route("llama").priority], [undefined, 1]);
  assert.deepEqual(route("codestral-2508").cost, {
    input: "0.30",
    cached_input: "0.03",
    output: "0.90",
  });
  for (
    const words of ["channel 7 is for the groups 'vip'", "channel 10 is of type 999"]
  ) assert.ok(stderr.includes(words), words);
  assert.ok(!`${stdout}${stderr}`.includes("sk-channel"));
});

Deno.test("channels without numbers have a variable each, and no key in an address is copied", async () => {
  const { stdout, stderr } = await imported(
    "one-api",
    JSON.stringify([
      {
        type: 1,
        key: "k1",
        base_url: "https://me:hunter22@llm.example/v1/?key=hushhush",
        models: "a",
      },
      { type: 14, key: "k2", models: "claude-sonnet-4-5" },
      { id: 1, type: 1, key: "k3", models: "gpt-5-mini" },
    ]),
  );
  const { providers } = parse(stdout);
  assert.deepEqual(
    providers.map(({ api_key, base_url }: Record<string, string>) => [api_key, base_url]),
    [
      ["env:CHANNEL_0_KEY", "https://llm.example/v1"],
      ["env:CHANNEL_1_KEY", undefined],
      ["env:CHANNEL_2_KEY", "https://api.openai.com/v1"],
    ],
  );
  assert.match(stderr, /channel 0: its address has key, left out: keys belong in api_key/);
  assert.doesNotMatch(`${stdout}${stderr}`, /hunter22|hushhush/);
});

const NEW = [
  {
    id: 1,
    type: 1,
    key: "sk-new-1\nsk-new-2\nsk-new-3",
    models: "small,dall-e-3,bge-m3",
    model_mapping: '{"small":"mid","mid":"gpt-5.4","loop":"small"}',
    base_url: "https://proxy.example",
    group: "default,vip",
    channel_info: { is_multi_key: true, multi_key_status_list: { "1": 3 } },
    param_override: '{"temperature":0,"model":"evil"}',
    header_override: '{"X-Team":"sk-new-header"}',
    setting: '{"system_prompt":"be kind","proxy":""}',
    status_code_mapping: '{"429":"500"}',
    auto_ban: 1,
    tag: "blue",
    test_model: "small",
  },
  {
    id: 2,
    type: 33,
    key: "AKIANEW|sk-new-aws|eu-west-1",
    models: "us.anthropic.claude-sonnet-4-6",
  },
  {
    id: 3,
    type: 41,
    key: '[{"type":"service_account","project_id":"acme","private_key":"sk-new-google"}]',
    other: '{"default":"europe-west4"}',
    models: "gemini-3.8-flash",
  },
  {
    id: 4,
    type: 3,
    key: "k4",
    other: "2024-10-21",
    base_url: "https://r.openai.azure.com",
    models: "d",
  },
  { id: 5, type: 45, key: "k5", models: "doubao-1" },
  { id: 6, type: 50, key: "k6", models: "kling-v1" },
  { id: 7, type: 42, key: "k7", models: "mistral-large-latest" },
  { id: 8, type: 14, key: "k8", base_url: "https://relay.example", models: "claude-opus-5" },
  { id: 9, type: 47, models: "own" },
  { id: 10, type: 4, base_url: "http://gpu:11434", models: "qwen3:8b" },
];

Deno.test("channels of New API have types of their own, several keys and overrides", async () => {
  const { stdout, stderr } = await imported("new-api", JSON.stringify(NEW));
  const { providers, models } = parse(stdout);
  // deno-lint-ignore no-explicit-any -- a catalogue file
  const routed = (id: string): any => {
    const [route] = models.find((one: { id: string }) => one.id === id).routes;
    return {
      ...route,
      by: providers.find((one: { id: string }) => one.id === route.provider),
      kind: models.find((one: { id: string }) => one.id === id).kind,
    };
  };
  assert.equal(routed("small").upstream_model, "gpt-5.4");
  // The second key is off there.
  assert.deepEqual(routed("small").by.api_key, ["env:CHANNEL_1_KEY", "env:CHANNEL_1_KEY_2"]);
  assert.equal(routed("small").by.base_url, "https://proxy.example/v1");
  assert.deepEqual(routed("small").set, { temperature: 0 });
  assert.deepEqual([routed("dall-e-3").kind, routed("bge-m3").kind], ["image", "embedding"]);
  const bedrock = routed("us.anthropic.claude-sonnet-4-6").by;
  assert.deepEqual([bedrock.kind, bedrock.aws_region], ["bedrock", "eu-west-1"]);
  assert.equal(bedrock.aws.secret_access_key, "env:CHANNEL_2_KEY_SECRET");
  const vertex = routed("gemini-3.8-flash").by;
  assert.deepEqual([vertex.project, vertex.location], ["acme", "europe-west4"]);
  assert.equal(routed("d").by.api_version, "2024-10-21");
  assert.equal(routed("doubao-1").by.base_url, "https://ark.cn-beijing.volces.com/api/v3");
  assert.equal(routed("mistral-large-latest").by.base_url, "https://api.mistral.ai/v1");
  const relay = routed("claude-opus-5").by;
  assert.deepEqual([relay.kind, relay.base_url], ["anthropic", "https://relay.example"]);
  assert.equal(routed("qwen3:8b").by.base_url, "http://gpu:11434/v1");
  for (
    const words of [
      "channel 1 is for the groups 'default,vip'",
      "channel 1.param_override.model has no equal here",
      "channel 1.header_override.X-Team has no equal here",
      "channel 1.setting.system_prompt has no equal here",
      "channel 1.status_code_mapping.429 has no equal here",
      "channel 1.auto_ban has no equal here",
      "channel 1.tag has no equal here",
      "channel 6 is of type 50 (Kling), whose API has no equal here: it is left out",
      "channel 9 (Xinference) has no address: it is left out",
      "channel 1: put its 2 keys in the variables CHANNEL_1_KEY to CHANNEL_1_KEY_2",
    ]
  ) assert.ok(stderr.includes(words), `${words}\n${stderr}`);
  assert.doesNotMatch(`${stdout}${stderr}`, /sk-new|AKIANEW/);
});

Deno.test("a number means another vendor in each, and New API's channels are known by their fields", async () => {
  const one = [{ id: 1, type: 29, key: "k", models: "openai/gpt-oss-120b" }];
  assert.match((await imported("one-api", JSON.stringify(one))).stdout, /api\.groq\.com/);
  const other = [{ id: 1, type: 42, key: "k", models: "m", auto_ban: 1 }];
  const { stdout, stderr } = await imported("one-api", JSON.stringify(other));
  assert.match(stdout, /api\.mistral\.ai/);
  assert.match(stderr, /These are channels of New API/);
});

const SQLITE =
  `CREATE TABLE \`channels\` (\`id\` integer,\`type\` integer DEFAULT 0,\`key\` text NOT NULL,
  \`models\` text,\`balance\` decimal(10,2),\`tag\` varchar(64), PRIMARY KEY (\`id\`));
INSERT INTO channels VALUES(1,43,'sk-dump''1','deepseek-v4-pro',0.5,NULL),(2,48,'k','grok-4.7',0,'it''s; (a) tag');
`;
const MYSQL =
  "INSERT INTO `channels` (`id`,`type`,`key`,`models`) VALUES (1,43,'sk-dump\\n2','deepseek-v4-pro');\n";
const POSTGRES = "COPY public.channels (id, type, key, models, tag) FROM stdin;\n" +
  "1\t43\tsk-dump\\nb\tdeepseek-v4-pro\t\\N\n\\.\n";

Deno.test("a dump of the table is read like the answer, of each database", async () => {
  for (const [name, dump] of Object.entries({ SQLITE, MYSQL, POSTGRES })) {
    const { stdout, stderr } = await imported("new-api", dump);
    const { models } = parse(stdout);
    assert.equal(models[0].id, "deepseek-v4-pro", name);
    assert.equal(models[0].routes[0].cost.input, "1.32", name);
    assert.doesNotMatch(`${stdout}${stderr}`, /sk-dump/, name);
    if (name === "SQLITE") {
      assert.equal(models[1].id, "grok-4.7");
      assert.match(stderr, /channel 2\.tag has no equal here/);
    } else assert.match(stderr, /its 2 keys/, name);
  }
});
