/**
 * Which models a key sees, and what the list tells of each.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startTestGateway } from "../../support/gateway.ts";
import { getJson, MODEL_MENU } from "../../support/model_menu.ts";

function byId(list: { data: { id: string }[] }) {
  return new Map(list.data.map((entry) => [entry.id, entry as Record<string, unknown>]));
}

Deno.test("GET models tells source_count, from_price and sources as each model has them", async () => {
  await using gateway = await startTestGateway({ catalogue: MODEL_MENU });
  const key = await gateway.key("default");
  const { status, body } = await getJson(gateway, "/v1/models", key);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ["data", "object"]);
  assert.equal(body.object, "list");
  const models = byId(body);
  for (const model of models.values()) {
    assert.equal(model.object, "model");
    assert.equal(typeof model.owned_by, "string");
    assert.ok(Number.isInteger(model.created) && Number(model.created) > 1_700_000_000);
    assert.equal(typeof model.supports_manual_source_selection, "boolean");
  }

  const { created: _created, owned_by: _owner, ...paid } = models.get("chat/paid")!;
  assert.deepEqual(paid, {
    aliases: ["paid"],
    id: "chat/paid",
    object: "model",
    kind: "chat",
    source_count: 2,
    // 0.2 x 1.1, and not 0.25 + 0.01; the cheap routes are out of service.
    from_price: "0.22000000",
    pricing: {
      currency: "USD",
      unit: "million_tokens",
      input: "0.22000000",
      output: "1.10000000",
    },
    supports_manual_source_selection: true,
    sources: [
      {
        route: "a/paid",
        provider: "a",
        official: true,
        risk_level: "medium",
        pricing: {
          currency: "USD",
          unit: "million_tokens",
          input: "0.25000000",
          output: "2.00000000",
          request: "0.01000000",
        },
      },
      {
        route: "b/paid",
        provider: "b",
        official: false,
        risk_level: "low",
        pricing: {
          currency: "USD",
          unit: "million_tokens",
          input: "0.22000000",
          output: "1.10000000",
        },
      },
    ],
  });

  const hidden = models.get("chat/hidden-sources")!;
  assert.equal(hidden.supports_manual_source_selection, false);
  assert.equal("sources" in hidden, false);
  assert.equal(hidden.source_count, 1);

  assert.equal(models.get("chat/free")!.from_price, "0.00000000");
  assert.equal(models.get("chat/free-input")!.from_price, null);
  assert.equal((models.get("chat/free-input")!.pricing as { output: string }).output, "3.00000000");
  assert.equal(models.get("chat/unpriced")!.from_price, null);
  assert.equal(models.get("chat/unpriced")!.pricing, null);
  assert.equal(models.get("chat/without-routes")!.from_price, null);
  assert.equal(models.get("chat/without-routes")!.source_count, 0);
  assert.equal(models.get("embed")!.kind, "embedding");
  assert.equal(models.get("embed")!.from_price, "0.02000000");
  assert.equal(models.get("video")!.kind, "video");
  assert.equal(models.get("video")!.from_price, "0.01000000");
  assert.deepEqual(models.get("video")!.pricing, {
    currency: "USD",
    unit: "second",
    when: [{ size: "1280x720", second: "0.02000000" }, { size: "640x360", second: "0.01000000" }],
  });
  const offer = { sizes: ["640x360", "1280x720"], seconds: [4], pass_fields: [] };
  assert.deepEqual(models.get("video")!.video, offer);
  const sources = models.get("video")!.sources as { video: unknown }[];
  assert.deepEqual(sources.map(({ video }) => video), [offer]);
  assert.equal("video" in models.get("embed")!, false);
  assert.doesNotMatch(JSON.stringify(body), /127\.0\.0\.1|cheap-but/);
});

Deno.test("GET models/{id} takes ids with slashes, encoded or not, and aliases", async () => {
  await using gateway = await startTestGateway({ catalogue: MODEL_MENU });
  const key = await gateway.key("default");
  for (const id of ["chat/paid", "chat%2Fpaid", "paid"]) {
    for (const prefix of ["/v1", "/api/gateway/v1"]) {
      const { status, body } = await getJson(gateway, `${prefix}/models/${id}`, key);
      assert.equal(status, 200, `${prefix} ${id}`);
      assert.equal(body.id, "chat/paid");
      assert.equal(body.source_count, 2);
    }
  }
  const unknown = await getJson(gateway, "/v1/models/none", key);
  assert.equal(unknown.status, 404);
  assert.equal(unknown.body.error.code, "model_not_found");
  assert.equal(unknown.body.error.param, "model");
});

Deno.test("a key sees and may ask for its models only", async () => {
  await using gateway = await startTestGateway({ catalogue: MODEL_MENU });
  const cases: { project: string; models?: string[]; seen: string[] }[] = [
    { project: "narrow", models: undefined, seen: [...chatModels()] },
    {
      project: "default",
      models: ["chat/f*", "video"],
      seen: ["chat/free", "chat/free-input", "video"],
    },
    // Both the project and the key have to allow a model.
    { project: "narrow", models: ["chat/free", "embed"], seen: ["chat/free"] },
  ];
  for (const { project, models, seen } of cases) {
    const key = await gateway.key(project, models);
    const { body } = await getJson(gateway, "/v1/models", key);
    assert.deepEqual([...byId(body).keys()].sort(), [...seen].sort(), `${project} ${models}`);
    const view = await getJson(gateway, "/v1/key", key);
    assert.deepEqual([...view.body.models].sort(), [...seen].sort());
  }
  const key = await gateway.key("narrow", ["chat/free"]);
  const one = await getJson(gateway, "/v1/models/embed", key);
  assert.equal(one.status, 403);
  assert.equal(one.body.error.code, "MODEL_NOT_ALLOWED");
  assert.equal(one.body.error.param, "model");
  const call = await gateway.chat({
    model: "chat/paid",
    messages: [{ role: "user", content: "x" }],
  }, {
    key,
  });
  assert.equal(call.status, 403);
  assert.equal((await call.json()).error.type, "permission_error");
});

function chatModels(): string[] {
  return [...MODEL_MENU.matchAll(/id: (chat\/[a-z-]+)$/gm)].map((match) => match[1]!);
}
