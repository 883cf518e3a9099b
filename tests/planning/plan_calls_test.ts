/**
 * Which refusals of one of several models leave it out, and which are the request's own.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ERROR_TABLE, type ErrorName, GatewayError } from "../../src/errors.ts";
import { decisive, isOfName, usable } from "../../src/planning/plan_calls.ts";

/** Those of a name, and whether only where they name the model; every other one is the request's. */
const OF_NAMES: { readonly [error in ErrorName]?: "always" | "with param model" } = {
  model_not_found: "always",
  model_not_allowed: "always",
  not_found: "always",
  invalid_value: "with param model",
  not_supported: "with param model",
};

Deno.test("a refusal of a name alone leaves that name out, every other one is the request's", () => {
  for (const error of Object.keys(ERROR_TABLE) as ErrorName[]) {
    const expected = OF_NAMES[error];
    for (const param of [undefined, "model", "models[1]", "max_tokens", "messages"]) {
      const refusal = new GatewayError(error, "why", { param });
      const leaves = expected === "always" || (expected !== undefined && param === "model");
      assert.equal(isOfName(refusal), leaves, `${error} with param ${param}`);
      const ask = (name: string) => {
        if (name === "bad") throw refusal;
        return name;
      };
      if (!leaves) {
        for (const names of [["bad", "good"], ["good", "bad"]]) {
          assert.throws(() => usable(names, ask), (thrown) => thrown === refusal, error);
        }
        continue;
      }
      const { asked, leftOut } = usable(["bad", "good"], ask);
      assert.deepEqual(asked, ["good"]);
      assert.deepEqual(leftOut, [{ name: "bad", error: refusal }]);
      assert.throws(() => usable(["bad", "bad"], ask), (thrown) => thrown === refusal);
    }
  }
});

Deno.test("of several models' refusals the one is told that is nearest to passing", () => {
  const refusal = (text: string) => {
    const [error, seconds] = text.split(" ") as [ErrorName, string?];
    return new GatewayError(error, text, {
      ...(seconds !== undefined && { retryAfterSeconds: Number(seconds) }),
    });
  };
  const rows: readonly (readonly [told: string, ...others: readonly string[]])[] = [
    ["no_such_route", "route_not_selectable"],
    ["provider_unavailable 9", "no_such_route", "insufficient_balance", "no_route_now 30"],
    ["pool_limit_exceeded 2", "provider_unavailable 5"],
    ["provider_unavailable 2", "pool_limit_exceeded 5"],
    ["insufficient_balance", "no_such_route", "no_route_now 30"],
    ["no_route_now 30", "no_such_route", "route_not_selectable"],
  ];
  for (const [told, ...others] of rows) {
    const all = [told, ...others].map(refusal);
    assert.equal(decisive(all).message, told);
    // What comes first counts only among those of no class.
    if (told !== "no_such_route") assert.equal(decisive(all.reverse()).message, told);
  }
});
