/**
 * Other gateways' configurations as catalogue files: what is carried over can be applied, what is not
 * is named, and no secret goes along.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parse } from "yaml";
import { runCommand, withDataDir } from "./run_in_process.ts";

const LITELLM = `
model_list:
  - model_name: gpt
    litellm_params:
      model: openai/gpt-5-mini
      api_key: os.environ/OPENAI_API_KEY
      rpm: 100
      timeout: 30
  - model_name: gpt
    litellm_params:
      model: azure/my-deployment
      api_base: https://r.openai.azure.com/
      api_key: azure-secret-0123456789
      api_version: "2024-10-21"
      input_cost_per_token: 0.00000025
      output_cost_per_token: 2e-6
      weight: 3
      order: 2
  - model_name: claude
    litellm_params: { model: bedrock/us.anthropic.claude-sonnet-4-6, aws_region_name: eu-west-1 }
  - model_name: local
    litellm_params: { model: ollama/qwen3, api_base: "http://localhost:11434" }
  - model_name: "any/*"
    litellm_params: { model: "openrouter/*", api_key: os.environ/OR_KEY }
  - model_name: own
    litellm_params: { model: openai/llama, api_base: "http://10.0.0.7/v1", api_key: none-needed }
  - model_name: e
    litellm_params: { model: openai/text-embedding-3-small, api_key: os.environ/OPENAI_API_KEY }
    model_info: { mode: embedding }
  - model_name: drawn
    litellm_params: { model: openai/dall-e-3 }
    model_info: { mode: image_generation }
  - model_name: odd
    litellm_params: { model: sagemaker/x }
router_settings:
  routing_strategy: simple-shuffle
  model_group_alias: { small: gpt }
general_settings: { master_key: sk-1234 }
`;

async function imported(form: string, text: string) {
  let result: { code: number; stdout: string; stderr: string; applied: string } | undefined;
  await withDataDir(async (dataDir) => {
    await Deno.mkdir(dataDir, { recursive: true });
    await Deno.writeTextFile(`${dataDir}/in.yaml`, text);
    const ended = await runCommand(["import", form, `${dataDir}/in.yaml`]);
    await Deno.writeTextFile(`${dataDir}/out.yaml`, ended.stdout);
    const applied = await runCommand(["apply", `${dataDir}/out.yaml`, "--data-dir", dataDir]);
    assert.equal(applied.code, 0, applied.stderr);
    result = { ...ended, applied: applied.stdout };
  });
  return result!;
}

Deno.test("LiteLLM's deployments become routes with prices, limits and order", async () => {
  const { code, stdout, applied } = await imported("litellm", LITELLM);
  assert.equal(code, 0);
  assert.match(applied, /^\+ model gpt$/m);
  const { providers, models } = parse(stdout);
  const gpt = models.find(({ id }: { id: string }) => id === "gpt");
  assert.deepEqual(gpt.aliases, ["small"]);
  const { cost: { when, ...cost }, ...route } = gpt.routes[0];
  assert.equal(when.length, 2);
  assert.deepEqual({ ...route, cost }, {
    id: "openai/gpt-5-mini",
    provider: "openai",
    upstream_model: "gpt-5-mini",
    supports: {
      tools: true,
      vision: true,
      json_schema: true,
      responses: true,
      context_tokens: 400000,
      max_output_tokens: 128000,
    },
    cost: { input: "0.25", cached_input: "0.025", output: "2.00", search: "0.01" },
    sale: { markup: "1.00" },
    limits: { requests_per_minute: 100 },
  });
  assert.deepEqual(gpt.routes[1], {
    id: "azure/my-deployment",
    provider: "azure",
    upstream_model: "my-deployment",
    cost: { input: "0.25", output: "2.00" },
    sale: { markup: "1.00" },
    weight: 3,
    priority: 2,
  });
  const byId = Object.fromEntries(providers.map((one: { id: string }) => [one.id, one]));
  assert.equal(byId.azure.azure_paths, "deployments");
  assert.equal(byId.azure.api_key, "env:AZURE_API_KEY");
  assert.equal(byId.openai.api_key, "env:OPENAI_API_KEY");
  assert.equal(byId.bedrock.aws_region, "eu-west-1");
  assert.equal(byId.ollama.base_url, "http://localhost:11434/v1");
  assert.equal(byId.server.base_url, "http://10.0.0.7/v1");
  const local = models.find(({ id }: { id: string }) => id === "local");
  assert.deepEqual(local.routes[0].sale, { free: true });
  const any = models.find(({ id }: { id: string }) => id === "any/*");
  assert.equal(any.routes[0].upstream_model, "*");
});

Deno.test("what has no equal is named, and no secret goes along", async () => {
  const { stdout, stderr } = await imported("litellm", LITELLM);
  for (
    const words of [
      "model_list[0].litellm_params.timeout has no equal here",
      "model_list[1].litellm_params.api_key is a secret: put it in the variable AZURE_API_KEY",
      "model_list[7] is of mode 'image_generation': it is left out",
      "model_list[8] is of 'sagemaker', which is not known: it is left out",
      "router_settings.routing_strategy has no equal here",
      "general_settings.master_key has no equal here",
      "No price is known of * (model any/*)",
    ]
  ) assert.ok(stderr.includes(words), `${words}\n${stderr}`);
  assert.ok(!`${stdout}${stderr}`.includes("azure-secret"));
  assert.ok(!`${stdout}${stderr}`.includes("sk-1234"));
});

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
  assert.deepEqual(route("codestral-2508").cost, {
    input: "0.30",
    cached_input: "0.03",
    output: "0.90",
  });
  for (
    const words of ["channel 7: group has no equal here", "channel 10 is of type 999", "priority 5"]
  ) assert.ok(stderr.includes(words), words);
  assert.ok(!`${stdout}${stderr}`.includes("sk-channel"));
});

Deno.test("a file that is none is refused with its place, and odd ones are survived", async () => {
  await withDataDir(async (dataDir) => {
    await Deno.mkdir(dataDir, { recursive: true });
    const file = `${dataDir}/in.yaml`;
    await Deno.writeTextFile(file, "a: [");
    const bad = await runCommand(["import", "litellm", file]);
    assert.notEqual(bad.code, 0);
    assert.match(bad.stderr, /in\.yaml:\d+:\d+/);
    for (
      const text of ["[]", "model_list: 5", "model_list: [1, {litellm_params: {model: 7}}]", "7"]
    ) {
      await Deno.writeTextFile(file, text);
      for (const form of ["litellm", "one-api"]) {
        assert.equal((await runCommand(["import", form, file])).code, 0, `${form} ${text}`);
      }
    }
  });
});
