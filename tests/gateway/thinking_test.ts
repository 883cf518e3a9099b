import assert from "node:assert/strict";
import type { BodyRules } from "../../src/domain/catalogue.ts";
import { toldToThink } from "../../src/gateway/thinking.ts";
import type { JsonObject } from "../../src/domain/json_value.ts";
import { route } from "../support/catalogue_parts.ts";

const NO_RULES: BodyRules = { set: {}, default: {}, drop: [] };

const BODIES: readonly (readonly [JsonObject, boolean | undefined])[] = [
  [{}, undefined],
  [{ reasoning_effort: "low" }, true],
  [{ reasoning_effort: "none" }, false],
  // Nothing is said by what stands for nothing: the model does as it always does.
  [{ reasoning_effort: null }, undefined],
  [{ reasoning: { effort: null, summary: null } }, undefined],
  [{ reasoning: {} }, undefined],
  [{ reasoning: { effort: "none" } }, false],
  [{ reasoning: { effort: "none", summary: "auto" } }, false],
  [{ reasoning: { effort: "high", summary: null } }, true],
  [{ reasoning: { effort: "high", exclude: false } }, true],
  [{ reasoning: { max_tokens: 2_000, exclude: false } }, true],
  [{ reasoning: { exclude: true } }, true],
  [{ reasoning: { enabled: false } }, false],
  [{ thinking: { type: "disabled" } }, false],
  [{ thinking: { type: "enabled", budget_tokens: 1_024, interleaved: false } }, true],
  [{ thinking_budget: 0 }, false],
  [{ thinking_budget: -1 }, true],
  [{ enable_thinking: false }, false],
  [{ enable_thinking: false, reasoning_effort: "high" }, true],
  [{ chat_template_kwargs: { enable_thinking: false } }, false],
  [{ chat_template_kwargs: { thinking: true, add_generation_prompt: false } }, true],
  [{ chat_template_kwargs: { add_generation_prompt: false } }, undefined],
];

for (const [body, told] of BODIES) {
  Deno.test(`toldToThink() reads ${JSON.stringify(body)} as ${told}`, () => {
    assert.equal(toldToThink(body, route({ body: NO_RULES })), told);
  });
}

const RULES: readonly (readonly [string, Partial<BodyRules>, JsonObject, boolean | undefined])[] = [
  ["what a route sets, whatever is asked", { set: { thinking_budget: 0 } }, {
    thinking_budget: 9,
  }, false],
  ["a default only where nothing is asked", { default: { reasoning_effort: "high" } }, {
    reasoning_effort: "none",
  }, false],
  ["a default beside another field", { default: { reasoning_effort: "high" } }, {
    enable_thinking: false,
  }, true],
  ["nothing of what is dropped", { drop: ["enable_thinking"] }, {
    enable_thinking: false,
  }, undefined],
];

for (const [name, rules, body, told] of RULES) {
  Deno.test(`toldToThink() takes ${name}`, () => {
    assert.equal(toldToThink(body, route({ body: { ...NO_RULES, ...rules } })), told);
  });
}
