/**
 * The example file as domain values, exactly.
 *
 * @module
 */

import { bySize } from "../support/catalogue_parts.ts";
import assert from "node:assert/strict";
import { toCatalogue } from "../../src/catalog/to_catalogue.ts";
import { DEFAULT_TIMEOUTS } from "../../src/domain/catalogue.ts";
import { EXAMPLE_FILE, FULL_FILE, readGood } from "./example_file.ts";

Deno.test("toCatalogue() converts the example", () => {
  const read = readGood(EXAMPLE_FILE);
  assert.deepEqual(read.warnings, []);
  const { catalogue, projects } = toCatalogue(read.value, { nowSeconds: 1 });
  const nothing = {
    writtenSwitches: { enabled: true, maintenance: false },
    supports: {},
    limits: {},
    body: { set: {}, default: {}, drop: [] },
  };
  assert.deepEqual(catalogue, {
    currency: "USD",
    providers: [
      {
        id: "openai",
        kind: "openai_compatible",
        baseUrl: "https://api.openai.com/v1",
        apiKeys: ["env:OPENAI_API_KEY"],
        auth: { kind: "bearer" },
        official: true,
        headers: {},
        query: {},
        timeouts: { connectMs: 5000, firstByteMs: 60_000, idleMs: 60_000, totalMs: 600_000 },
        own: { video_form: "multipart" },
      },
      {
        id: "builtin",
        kind: "builtin",
        baseUrl: undefined,
        apiKeys: [],
        auth: { kind: "none" },
        official: false,
        headers: {},
        query: {},
        timeouts: DEFAULT_TIMEOUTS,
      },
    ],
    models: [
      {
        id: "gpt-5-mini",
        kind: "chat",
        aliases: ["small"],
        manualSelection: true,
        createdAt: 1,
        routes: [{
          ...nothing,
          id: "openai/gpt-5-mini",
          modelId: "gpt-5-mini",
          providerId: "openai",
          upstreamModel: "gpt-5-mini",
          riskLevel: "low",
          priority: 0,
          weight: 1,
          enabled: true,
          maintenance: false,
          supports: {
            tools: true,
            vision: true,
            jsonSchema: true,
            responses: true,
            contextTokens: 400_000,
            maxOutputTokens: 128_000,
          },
          limits: { requestsPerMinute: 500, tokensPerMinute: 200_000, concurrent: 50 },
          prices: {
            version: 0,
            routeId: "openai/gpt-5-mini",
            currency: "USD",
            cost: { input: 25_000_000n, cachedInput: 2_500_000n, output: 200_000_000n },
            sale: { kind: "markup", factorE8: 110_000_000n },
          },
          video: undefined,
        }],
      },
      {
        id: "video-2",
        kind: "video",
        aliases: [],
        manualSelection: true,
        createdAt: 1,
        routes: [{
          ...nothing,
          id: "builtin/video-2",
          modelId: "video-2",
          providerId: "builtin",
          upstreamModel: "video-2",
          riskLevel: "low",
          priority: 0,
          weight: 1,
          enabled: true,
          maintenance: false,
          prices: {
            version: 0,
            routeId: "builtin/video-2",
            currency: "USD",
            cost: { second: 0n },
            sale: {
              kind: "rates",
              rates: bySize({ "1280x720": 2_000_000n, "640x360": 1_000_000n }),
            },
          },
          video: { sizes: ["640x360", "1280x720"], seconds: [1, 2, 4, 8], passFields: [] },
        }],
      },
    ],
  });
  assert.deepEqual(projects, [{
    id: "default",
    unlimited: true,
    models: ["*"],
    limits: {
      requestsPerMinute: 600,
      tokensPerMinute: 1_000_000,
      concurrent: 100,
      openVideoTasks: 10,
    },
    budgets: {},
    quotas: {},
  }]);
});

Deno.test("toCatalogue() fills in defaults and reads every other form", () => {
  const { catalogue, projects } = toCatalogue(readGood(FULL_FILE).value, { nowSeconds: 1 });
  const [azure, local] = catalogue.providers;
  assert.equal(azure?.baseUrl, "https://east.example.com/openai/v1");
  assert.deepEqual(azure?.apiKeys, ["env:AZURE_ONE", "file:/run/secrets/azure two"]);
  assert.deepEqual(azure?.auth, { kind: "header", name: "api-key" });
  assert.deepEqual(azure?.timeouts, { ...DEFAULT_TIMEOUTS, totalMs: 1 });
  assert.deepEqual(azure?.query, { "api-version": "2026-01-01" });
  assert.deepEqual(local?.auth, { kind: "none" });

  const [embed, llama] = catalogue.models;
  assert.equal(embed?.routes[0]?.upstreamModel, "embed");
  assert.deepEqual(embed?.routes[0]?.prices.sale, {
    kind: "rates",
    rates: { input: 1n, request: 100_000_000_000_000n },
  });
  const [paid, free] = llama?.routes ?? [];
  assert.equal(paid?.upstreamModel, "Llama 3 (8b)");
  assert.deepEqual([paid?.enabled, paid?.maintenance, paid?.weight], [false, true, 2.5]);
  assert.deepEqual(paid?.writtenSwitches, { enabled: false, maintenance: true });
  assert.deepEqual(paid?.body, {
    set: { reasoning: { effort: "low", tags: ["a", "b"] }, thinking: {} },
    default: { temperature: 0.5, seed: null },
    drop: ["logit_bias"],
    dropTools: ["web_search*", "mcp"],
  });
  assert.deepEqual(free?.prices.sale, { kind: "free" });
  assert.equal(free?.prices.cost, undefined);
  assert.deepEqual(projects[0], {
    id: "team",
    unlimited: false,
    models: ["meta/*", "embed"],
    limits: { concurrent: 1 },
    budgets: {
      dailyE8: 500_000_000n,
      monthlyE8: 10_050_000_000n,
      brakeTimes: 10,
      brakeFloorE8: 25_000_000n,
    },
    quotas: { keptBytes: 1_073_741_824, videoBytes: 50_000_000, fileBytes: 5_000_000 },
  });
});
