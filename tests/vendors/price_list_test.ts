/**
 * The prices that come with the program: complete, of models that can be routed to, and found by their
 * names.
 *
 * @module
 */

import assert from "node:assert/strict";
import { crossCheck } from "../../src/catalog/cross_check.ts";
import { priceTableSchema } from "../../src/catalog/price_table_schema.ts";
import { catalogueFileSchema } from "../../src/catalog/file_schema.ts";
import {
  isOffered,
  LIST_CURRENCY,
  PriceList,
  shippedPrices,
  withOwnRows,
} from "../../src/vendors/price_list.ts";
import { PRESETS, vendorOf } from "../../src/vendors/presets.ts";
import { kindNamed } from "../../src/providers/kinds.ts";
import { KINDS } from "../../src/domain/capabilities.ts";
import { wireName } from "../../src/domain/units.ts";

const SHIPPED = await shippedPrices();

Deno.test("the shipped list is in the currency that others are told", () => {
  assert.equal(SHIPPED.currency, LIST_CURRENCY);
});

Deno.test("every shipped row is one that a file may have, and none is there twice", () => {
  const read = priceTableSchema.safeParse(SHIPPED);
  assert.ok(read.success, read.error?.message);
  const ids = SHIPPED.rows.map(({ vendor, model }) => `${vendor}/${model}`);
  assert.equal(new Set(ids).size, ids.length);
});

Deno.test("every shipped row has the rates that a route of its kind needs", () => {
  for (const { vendor, model, kind, cost } of SHIPPED.rows) {
    const { buys } = KINDS[kind as keyof typeof KINDS];
    const whole = buys.filter((units) =>
      units.every((unit) => /^\d+\.\d{2,8}$/.test(String(cost[wireName(unit)])))
    );
    // What is bought is never paid for twice.
    assert.equal(whole.length, 1, `${vendor}/${model}: ${JSON.stringify(cost)}`);
  }
});

Deno.test("every shipped row makes a route that the catalogue takes", () => {
  const models = SHIPPED.rows.map(({ vendor, model, kind, cost, supports }, index) => ({
    id: `m${index}`,
    kind,
    routes: [{
      id: `r${index}`,
      provider: vendor,
      upstream_model: model,
      cost,
      supports,
      sale: { markup: "1" },
    }],
  }));
  const asked: Record<string, unknown> = {
    base_url: "https://r.openai.azure.com",
    aws_region: "us-east-1",
    project: "my-project",
    credentials: "env:GOOGLE",
  };
  const file = {
    providers: PRESETS.map(({ vendor, key, provider, asks = [] }) => ({
      id: vendor,
      ...provider,
      ...(key !== undefined && { api_key: `env:${key}` }),
      ...Object.fromEntries(asks.map(({ setting }) => [setting, asked[setting]])),
    })),
    models: models.filter(({ routes: [route], kind }) => {
      const preset = PRESETS.find(({ vendor }) => vendor === route!.provider)!;
      return kindNamed(preset.provider.kind)!.serves.some((one) => one === kind);
    }),
  };
  const read = catalogueFileSchema.safeParse(file);
  assert.ok(read.success, read.error?.message);
  assert.deepEqual(crossCheck(file), []);
  assert.ok(file.models.length > 70, `${file.models.length}`);
});

Deno.test("tiers, long prompts and kinds of their own have their prices", () => {
  const list = new PriceList(SHIPPED);
  const cost = (vendor: string, model: string) => list.find(vendor, model)?.cost;
  const tiers = cost("openai", "gpt-6.1-sol")!.when as readonly Record<string, string>[];
  assert.deepEqual(
    tiers.map(({ context_above, service_tier, input }) => [context_above, service_tier, input]),
    [
      [undefined, "flex", "1.00"],
      [undefined, "priority", "4.00"],
      [undefined, "ultrafast", "12.00"],
      [272000, undefined, "4.00"],
      [272000, "flex", "2.00"],
      [272000, "priority", "8.00"],
      [272000, "ultrafast", "24.00"],
    ],
  );
  assert.deepEqual(cost("openai", "whisper-1"), { audio_second: "0.0001" });
  assert.deepEqual(cost("openai", "tts-1"), { character: "15.00" });
  assert.deepEqual(cost("openai", "omni-moderation-2024-09-26"), { input: "0.00" });
  assert.deepEqual(cost("gemini", "veo-3.1-fast-generate-001"), {
    second: "0.10",
    when: [{ resolution: "1080p", second: "0.12" }, { resolution: "2160p", second: "0.30" }],
  });
  assert.equal(cost("anthropic", "claude-opus-5")!.search, "0.01");
  for (const vendor of ["vertex", "together", "fireworks", "openrouter"]) {
    assert.ok(list.of(vendor).length > 10, vendor);
  }
});

Deno.test("a model is offered until the day that is named, and that day too", () => {
  assert.ok(isOffered({}, "2030-01-01"));
  assert.ok(isOffered({ until: "2026-12-11" }, "2026-12-11"));
  assert.ok(!isOffered({ until: "2026-12-11" }, "2026-12-12"));
});

Deno.test("conditions follow the usual price by the vendor's own factors", () => {
  const list = new PriceList(SHIPPED);
  const { cost } = list.find("anthropic", "claude-opus-5")!;
  assert.deepEqual(cost.when, [
    {
      inference_geo: "us",
      input: "5.50",
      cached_input: "0.55",
      cache_write: "6.875",
      cache_write_1h: "11.00",
      output: "27.50",
    },
    {
      speed: "fast",
      input: "10.00",
      cached_input: "1.00",
      cache_write: "12.50",
      cache_write_1h: "20.00",
      output: "50.00",
    },
    {
      speed: "fast",
      inference_geo: "us",
      input: "11.00",
      cached_input: "1.10",
      cache_write: "13.75",
      cache_write_1h: "22.00",
      output: "55.00",
    },
  ]);
});

Deno.test("find() takes the name, else the longest pattern, of that vendor alone", () => {
  const list = new PriceList(SHIPPED);
  const found = (vendor: string, model: string) => list.find(vendor, model)?.model;
  assert.equal(found("anthropic", "claude-opus-5-5"), "claude-opus-5-5");
  assert.equal(found("anthropic", "claude-opus-5-5-20261001"), "claude-opus-5-5");
  assert.equal(found("anthropic", "claude-opus-5-20260701"), "claude-opus-5");
  assert.equal(found("anthropic", "claude-opus-50"), undefined);
  assert.equal(found("openai", "gpt-5-mini-2025-08-07"), "gpt-5-mini");
  assert.equal(found("openai", "gpt-5-2025-08-07"), "gpt-5");
  assert.equal(found("openai", "gpt-5-turbo"), undefined);
  assert.equal(found("openai", "claude-opus-5"), undefined);
});

Deno.test("an operator's row takes the place of the shipped one", async () => {
  const [row] = SHIPPED.rows;
  const own = { ...row!, cost: { input: "1.00", output: "2.00" } };
  const list = await withOwnRows([own]);
  assert.deepEqual(list.find(row!.vendor, row!.model), own);
  assert.equal(list.rows.length, SHIPPED.rows.length);
});

Deno.test("vendorOf() knows a provider by its kind and host", () => {
  const of = (kind: string, baseUrl?: string) => vendorOf({ kind, baseUrl });
  assert.equal(of("anthropic"), "anthropic");
  assert.equal(of("openai_compatible", "https://api.openai.com/v1"), "openai");
  assert.equal(of("openai_compatible", "https://openrouter.ai/api/v1"), "openrouter");
  assert.equal(of("openai_compatible", "http://127.0.0.1:11434/v1"), "ollama");
  assert.equal(of("openai_compatible", "http://127.0.0.1:9/v1"), undefined);
  assert.equal(of("builtin"), undefined);
});
