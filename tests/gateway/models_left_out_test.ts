/**
 * Which names of `models` are left out, and what is the request's own fault.
 *
 * @module
 */

import assert from "node:assert/strict";
import { setModel } from "../../src/admin/catalogue/models.ts";
import { disableRoute } from "../../src/admin/catalogue/route_switches.ts";
import { explainRoutes } from "../../src/admin/explain.ts";
import { setProject } from "../../src/admin/accounts/projects.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { withWorld } from "../support/habits_world.ts";

Deno.test("what is wrong with the request itself is answered as such, whatever 'models' has", async () => {
  await withWorld(async ({ ask, asked, gateway }) => {
    const deps = gateway.admin;
    const models = ["bigg", "small", "big"];
    const code = async (body: object, key?: string) => {
      const { status, error } = await ask({ models, ...body }, key);
      return [status, error?.code, error?.param];
    };
    const key = await gateway.key("paying");
    assert.deepEqual(await code({}, key), [402, "INSUFFICIENT_BALANCE", null]);
    await gateway.credit("paying", "10");
    const tooMany = { n: 100_000 };
    const [status] = await code(tooMany, key);
    assert.equal(status, 400, "a parameter that no model takes");
    const limits = { tokens_per_minute: 20 };
    await runOperation(setProject, { deps, input: { project: "paying", limits } });
    assert.deepEqual(await code({ max_tokens: 1_000 }, key), [429, "POOL_LIMIT_EXCEEDED", null]);
    assert.deepEqual(asked(), []);
    // Switched off now is nearer to being served than what can never be.
    await runOperation(disableRoute, { deps, input: { route: "b/small" } });
    const wanted = { only: ["b/small", "nobody"] };
    const off = await ask({ models: ["big", "small"], provider: wanted });
    assert.deepEqual([off.status, off.error.code], [503, "NO_AVAILABLE_ROUTE"]);
    assert.match(off.error.message, /disabled or in maintenance/);
    assert.equal(off.error.routes.length, 4);
    assert.deepEqual(asked(), []);
  });
});

Deno.test("explain says why each name of 'models' is left out", async () => {
  await withWorld(async ({ gateway }) => {
    const deps = gateway.admin;
    const input = {
      model: "bigg",
      models: ["big", "secret", "big:online", "rows", "small"],
      project: "paying",
    };
    await runOperation(setModel, { deps, input: { id: "rows", settings: { kind: "embedding" } } });
    await runOperation(setProject, {
      deps,
      input: { project: "paying", models: ["big", "small", "rows"] },
    });
    const { models, notes } = await runOperation(explainRoutes, { deps, input });
    assert.deepEqual(models, ["big", "small"]);
    const left = notes.filter((note) => note.includes("of models is left out"));
    assert.equal(left.length, 4, notes.join("\n"));
    for (
      const [name, why] of [
        ["bigg", /There is no model 'bigg'/],
        ["secret", /may not use the model 'secret'/],
        ["big:online", /The suffix ':online' is not supported/],
        ["rows", /of kind 'embedding', and the request is for one of kind 'chat'/],
      ] as const
    ) {
      assert.match(left.find((note) => note.startsWith(`'${name}'`)) ?? "", why);
    }
    // A question that is wrong by itself is refused, whatever models there are.
    const wrong = { model: "big", models: ["small"], size: "1280x720" };
    await assert.rejects(runOperation(explainRoutes, { deps, input: wrong }), { param: "size" });
  });
});
