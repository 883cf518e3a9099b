/**
 * Other gateways' configurations as catalogue files: what is carried over can be applied, what is not
 * is named, and no secret goes along.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parse } from "yaml";
import { imported } from "./imported.ts";
import { runCommand, withDataDir } from "./run_in_process.ts";

const LITELLM = `
model_list:
  - model_name: gpt
    litellm_params:
      model: openai/gpt-5-mini
      api_key: os.environ/OPENAI_API_KEY
      rpm: 100
      tpm: 20_000
      max_retries: 3
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
    model_info: { mode: batch }
  - model_name: odd
    litellm_params: { model: sagemaker/x }
router_settings:
  routing_strategy: simple-shuffle
  model_group_alias: { small: gpt }
general_settings: { master_key: sk-1234 }
`;

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
    limits: { requests_per_minute: 100, tokens_per_minute: 20000 },
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
  assert.equal(byId.azure.api_key, "env:IMPORTED_AZURE_API_KEY");
  assert.equal(byId.openai.api_key, "env:OPENAI_API_KEY");
  assert.equal(byId.bedrock.aws_region, "eu-west-1");
  assert.equal(byId.ollama.base_url, "http://localhost:11434/v1");
  assert.equal(byId.server.base_url, "http://10.0.0.7/v1");
  const local = models.find(({ id }: { id: string }) => id === "local");
  assert.deepEqual(local.routes[0].sale, { free: true });
  const any = models.find(({ id }: { id: string }) => id === "any/*");
  assert.equal(any.routes[0].upstream_model, "*");
  // What a name costs is known when it is asked for.
  assert.deepEqual(any.routes[0].sale, { markup: "1.00" });
});

Deno.test("what has no equal is named, and no secret goes along", async () => {
  const { stdout, stderr } = await imported("litellm", LITELLM);
  for (
    const words of [
      "model_list[0].litellm_params.max_retries has no equal here",
      "model_list[1].litellm_params.api_key is a secret: put it in the variable IMPORTED_AZURE_API_KEY",
      "model_list[7] is of mode 'batch': it is left out",
      "model_list[8] is of 'sagemaker', which is not known: it is left out",
      "router_settings.routing_strategy has no equal here",
      "general_settings.master_key has no equal here",
    ]
  ) assert.ok(stderr.includes(words), `${words}\n${stderr}`);
  assert.ok(!`${stdout}${stderr}`.includes("azure-secret"));
  assert.ok(!`${stdout}${stderr}`.includes("sk-1234"));
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

const WHOLE = `
x-usual: &usual { api_key: os.environ/OPENAI_API_KEY, temperature: 0.2, timeout: 12.5 }
include: [more.yaml]
credential_list:
  - credential_name: shared
    credential_values: { api_key: os.environ/SHARED_KEY, api_base: https://shared.example/v1 }
model_list:
  - model_name: first
    litellm_params: { <<: *usual, model: openai/responses/gpt-5.4, tags: [a] }
    rpm: 7
    access_groups: [beta]
  - model_name: second
    litellm_params: { model: claude-opus-5, max_tokens: 99, order: 4 }
    model_info: { id: "1", team_id: t }
  - model_name: heard
    litellm_params: { model: groq/whisper-large-v3, input_cost_per_second: 0.00003 }
    model_info: { mode: audio_transcription }
  - model_name: drawn
    litellm_params: { model: openai/gpt-image-2 }
    model_info: { mode: image_generation }
  - model_name: tiers
    litellm_params:
      model: gemini/mine
      input_cost_per_token: 0.000002
      output_cost_per_token: 1.2e-5
      input_cost_per_token_above_200k_tokens: 4e-6
      output_cost_per_token_priority: 2e-5
      output_cost_per_token_batches: 6e-6
      temperature: 1
  - model_name: kept
    litellm_params: { model: openai/own, litellm_credential_name: shared }
  - model_name: deployed
    litellm_params: { model: azure/my-own, api_base: os.environ/AZ_BASE, api_key: os.environ/AZ }
    model_info: { base_model: azure/gpt-5.4 }
  - model_name: perplexed
    litellm_params: { model: perplexity/sonar }
  - model_name: signed
    litellm_params: { model: bedrock/eu-west-1/eu.anthropic.claude-sonnet-4-6, aws_role_name: r }
  - model_name: foundry
    litellm_params: { model: azure_ai/claude-opus-5, api_base: "https://r.services.ai.azure.com/anthropic", api_key: os.environ/F }
  - model_name: quick
    litellm_params: { model: fireworks_ai/kimi-k3, api_key: sk-first-secret }
  - model_name: quick
    litellm_params: { model: fireworks_ai/kimi-k3, api_key: sk-second-secret }
  - model_name: "*"
    litellm_params: { model: "openai/*" }
litellm_settings:
  fallbacks: [{ first: [second, nobody] }]
  default_fallbacks: [kept]
`;

Deno.test("all that a configuration of LiteLLM may have is carried over, or named", async () => {
  const { stdout, stderr } = await imported("litellm", WHOLE, {
    "more.yaml": "model_list: [{ model_name: more, litellm_params: { model: xai/grok-4.7 } }]",
  });
  const { providers, models } = parse(stdout);
  // deno-lint-ignore no-explicit-any -- a catalogue file
  const model = (id: string): any => models.find((one: { id: string }) => one.id === id);
  // deno-lint-ignore no-explicit-any -- a catalogue file
  const provider = (id: string): any => providers.find((one: { id: string }) => one.id === id);
  const [own, second, kept] = model("first").routes;
  assert.deepEqual(own.default, { temperature: 0.2 });
  assert.deepEqual(own.limits, { requests_per_minute: 7 });
  assert.equal(own.upstream_model, "gpt-5.4");
  assert.deepEqual(provider(own.provider).timeouts, { total_ms: 12500 });
  assert.deepEqual([second.upstream_model, second.priority], ["claude-opus-5", 1]);
  assert.deepEqual([kept.upstream_model, kept.priority], ["own", 2]);
  assert.equal(provider(second.provider).kind, "anthropic");
  assert.deepEqual(model("heard").routes[0].cost, { audio_second: "0.00003" });
  assert.equal(model("drawn").kind, "image");
  assert.equal(model("drawn").routes[0].cost.output_image, "30.00");
  assert.deepEqual(model("tiers").routes[0].cost, {
    input: "2.00",
    output: "12.00",
    when: [
      { service_tier: "priority", output: "20.00" },
      { context_above: 200000, input: "4.00" },
    ],
  });
  assert.equal(provider(model("kept").routes[0].provider).base_url, "https://shared.example/v1");
  assert.equal(provider(model("kept").routes[0].provider).api_key, "env:SHARED_KEY");
  assert.equal(model("deployed").routes[0].cost.input, "2.50");
  assert.equal(provider("azure").base_url, "https://az-base.invalid/v1");
  assert.equal(provider("perplexity").base_url, "https://api.perplexity.ai");
  assert.equal(provider("bedrock").api_key, undefined);
  assert.equal(model("signed").routes[0].upstream_model, "eu.anthropic.claude-sonnet-4-6");
  assert.equal(provider("foundry").kind, "anthropic");
  assert.deepEqual(
    model("quick").routes.slice(0, 2).map(({ provider: id }: { provider: string }) =>
      provider(id).api_key
    ),
    ["env:IMPORTED_FIREWORKS_API_KEY", "env:IMPORTED_FIREWORKS_API_KEY_2"],
  );
  assert.equal(model("more").routes[0].provider, "xai");
  for (
    const words of [
      "model_list[0].litellm_params.tags has no equal",
      "model_list[0].access_groups has no equal",
      "model_list[1].model_info.team_id has no equal",
      "model_list[4].output_cost_per_token_batches has no equal",
      "model_list[4].litellm_params.temperature has no equal",
      "model_list[8].litellm_params.aws_role_name has no equal",
      "model_list[6].litellm_params.api_base is in the variable AZ_BASE",
      "model_list[12]: a model that stands for every name",
      "The fallback of 'first' to 'nobody' is left out",
      "x-usual.temperature has no equal",
    ]
  ) assert.ok(stderr.includes(words), `${words}\n${stderr}`);
  assert.ok(!`${stdout}${stderr}`.includes("-secret"));
});

Deno.test("the examples of LiteLLM become catalogues, and what of them does not is named", async () => {
  const folder = new URL("../fixtures/litellm/", import.meta.url);
  let files = 0;
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".yaml")) continue;
    files++;
    const text = await Deno.readTextFile(new URL(name, folder));
    const { stdout, stderr } = await imported("litellm", text);
    assert.ok(parse(stdout).models.length > 0, name);
    assert.doesNotMatch(stderr, /To mend/, name);
    for (const [, secret] of text.matchAll(/_key: *(sk-\w+|fake-key)/g)) {
      assert.ok(!`${stdout}${stderr}`.includes(secret!), `${name} ${secret}`);
    }
    // Every setting of the server is named.
    const { general_settings = {} } = parse(text);
    for (const field of Object.keys(general_settings ?? {})) {
      assert.ok(stderr.includes(`general_settings.${field} has no equal here`), `${name} ${field}`);
    }
  }
  assert.equal(files, 6);
});

Deno.test("no setting is lost without a word, wherever it stands", async () => {
  const { stderr } = await imported(
    "litellm",
    `
unheard: { of: 1 }
model_list:
  - model_name: m
    unheard_entry: 1
    litellm_params: { model: openai/gpt-5.4, unheard_param: 1, unheard_cost: 2 }
    model_info: { unheard_info: 1, supports_vision: true }
litellm_settings: { unheard_setting: 1 }
router_settings: { unheard_route: 1 }
`,
  );
  for (
    const words of [
      "unheard.of",
      "model_list[0].unheard_entry",
      "model_list[0].litellm_params.unheard_param",
      "model_list[0].unheard_cost",
      "model_list[0].model_info.unheard_info",
      "litellm_settings.unheard_setting",
      "router_settings.unheard_route",
    ]
  ) assert.ok(stderr.includes(`${words} has no equal here`), `${words}\n${stderr}`);
});
