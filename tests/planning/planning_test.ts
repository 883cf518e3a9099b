import assert from "node:assert/strict";
import { CatalogueHolder, createSnapshot } from "../../src/catalog/snapshot.ts";
import { GatewayError } from "../../src/errors.ts";
import { Limiter } from "../../src/limits/limiter.ts";
import { balanceTooLow } from "../../src/planning/refusals.ts";
import { findModel, planCall, requireModel } from "../../src/planning/plan_call.ts";
import { openCall } from "../../src/planning/open_call.ts";
import { countRequest, takePlace } from "../../src/planning/take_permit.ts";
import { factsOfVideo } from "../../src/planning/facts_of_video.ts";
import type { Caller } from "../../src/accounts/key_directory.ts";
import type { Route } from "../../src/domain/catalogue.ts";
import { model, route } from "../support/catalogue_parts.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { health } from "../support/route_question.ts";
import { NO_WISHES } from "../support/no_wishes.ts";
import { providerSettings } from "../support/provider_parts.ts";
import { FILM_SALE_E8, videoRoute } from "../support/video_parts.ts";

const CHAT = model([route()], { id: "one", aliases: ["uno"] });
const identity = { requestId: "req_aaaaaaaaaaaa1", callId: 1 };

function caller(
  { project = {}, key = {} }: {
    readonly project?: Partial<Caller["project"]>;
    readonly key?: Partial<Caller["key"]>;
  } = {},
): Caller {
  return {
    project: {
      id: "p",
      unlimited: false,
      disabled: false,
      models: ["*"],
      limits: {},
      budgets: {},
      quotas: {},
      createdAt: 0,
      ...project,
    },
    key: {
      id: "k",
      projectId: "p",
      name: "k",
      hash: "h",
      prefix: "sk-tg-x",
      disabled: false,
      models: undefined,
      limits: {},
      budgets: {},
      createdAt: 0,
      expiresAt: undefined,
      ...key,
    },
  };
}

function catalogue(routes: readonly Route[]) {
  return {
    currency: "USD",
    providers: [providerSettings({ id: "acme" }), providerSettings({ id: "zeta" })],
    models: [model(routes, { id: "film", kind: "video" as const }), CHAT],
  };
}

/** A plan for 4 seconds of film. */
function plan(
  routes: readonly Route[],
  { project = {} }: { project?: Partial<Caller["project"]> } = {},
) {
  const by = caller({ project });
  const made = planCall({
    catalogue: new CatalogueHolder(catalogue(routes)),
    health: health({}),
    capacity: { secondsUntilRoom: () => 0 },
    clock: new FakeClock(),
    random: () => 0,
  }, {
    caller: by,
    wishes: NO_WISHES,
    model: model(routes, { id: "film", kind: "video" }),
    facts: factsOfVideo({ work: { size: "640x360", seconds: 4 }, hasReference: false, fields: {} }),
  });
  return { made, by };
}

Deno.test("findModel() finds by id and alias, and tells what is missing from what is not allowed", () => {
  const snapshot = createSnapshot(catalogue([videoRoute("acme")]));
  assert.equal(findModel(snapshot, { model: "one", caller: caller() }).id, "one");
  assert.equal(findModel(snapshot, { model: "uno", caller: caller() }).id, "one");
  for (
    const narrow of [caller({ key: { models: ["film"] } }), caller({ project: { models: [] } })]
  ) {
    assert.throws(() => findModel(snapshot, { model: "uno", caller: narrow }), {
      error: "model_not_allowed",
      param: "model",
    });
    assert.throws(() => findModel(snapshot, { model: "none", caller: narrow }), {
      error: "model_not_found",
    });
  }
  const asked = (model: string, by: Caller) => () => findModel(snapshot, { model, caller: by });
  assert.throws(asked("fim", caller()), { message: /: did you mean 'film'\? GET \/v1\/models/ });
  assert.throws(asked("unu", caller()), { message: /: did you mean 'uno'\?/ });
  const blind = caller({ key: { models: ["film"] } });
  assert.throws(asked("unu", blind), (error: Error) => !/uno|one'/.test(error.message));
  const long = "x".repeat(100_000);
  assert.throws(
    () => findModel(snapshot, { model: long, caller: caller() }),
    (error: Error) => error.message.length < 400,
  );
});

Deno.test("requireModel() refuses a model of another kind only to those who may use it", () => {
  const snapshot = createSnapshot(catalogue([videoRoute("acme")]));
  const ask = { model: "one", kind: "video" } as const;
  assert.throws(() => requireModel(snapshot, { ...ask, caller: caller() }), {
    error: "invalid_value",
    param: "model",
    message: /: call it with POST \/v1\/chat\/completions or \/v1\/responses or \/v1\/messages$/,
  });
  assert.throws(
    () => requireModel(snapshot, { ...ask, caller: caller({ key: { models: ["film"] } }) }),
    { error: "model_not_allowed" },
  );
});

Deno.test("planCall() holds the exact price of a film, and nothing of an unlimited project", () => {
  const routes = [videoRoute("acme")];
  assert.equal(plan(routes).made.worstCaseE8(routes[0]!), FILM_SALE_E8);
  assert.equal(plan(routes, { project: { unlimited: true } }).made.worstCaseE8(routes[0]!), 0n);
});

Deno.test("planCall() says of each route why it is out when none is left", () => {
  const disabled = videoRoute("acme", { enabled: false });
  const other = videoRoute("zeta", {
    video: { sizes: ["1280x720"], seconds: [4], passFields: [] },
  });
  const error = refusalOf(() => plan([disabled, other]));
  assert.deepEqual(error.routes?.map(({ route, reason }) => `${route} ${reason}`).sort(), [
    "acme/film disabled",
    "zeta/film size_not_offered",
  ]);
});

Deno.test("openCall() is the call of one candidate, at its price", () => {
  const routes = [videoRoute("acme"), videoRoute("zeta", { sale: "5" })];
  const { made, by } = plan(routes);
  const call = openCall(made, { route: routes[1]!, caller: by, identity, openedAt: 9 });
  assert.deepEqual(
    [call.route, call.provider, call.heldE8, call.capability, call.openedAt, call.callId],
    ["zeta/film", "zeta", 2_000_000_000n, "videos", 9, 1],
  );
  assert.deepEqual(call.video, { size: "640x360", seconds: 4 });
});

Deno.test("balanceTooLow() names every route: those too dear, and those that were out before", () => {
  const { made } = plan([videoRoute("acme"), videoRoute("zeta", { enabled: false })]);
  const error = balanceTooLow(made, 5_000_000n);
  assert.equal(error.error, "insufficient_balance");
  assert.deepEqual(error.routes?.map(({ route, reason }) => `${route} ${reason}`), [
    "acme/film balance_too_low",
    "zeta/film disabled",
  ]);
  const detail = "would hold 12.00000000, the balance is 0.05000000";
  assert.deepEqual(error.routes?.[0]?.detail, detail);
  assert.match(error.message, new RegExp(`that fits it \\(it ${detail}\\): ask the operator`));
});

for (
  const [limits, words] of [
    [{ requestsPerMinute: 1 }, "requests per minute"],
    [{ tokensPerMinute: 5 }, "tokens per minute"],
    [{ concurrent: 1 }, "requests at the same time"],
  ] as const
) {
  Deno.test(`takePlace() and countRequest() refuse beyond a limit of ${words}, and says whose it is`, () => {
    for (const scope of ["project", "key"] as const) {
      const limiter = new Limiter({ clock: new FakeClock() });
      const by = caller({ [scope]: { limits } });
      const admit = () => {
        countRequest(limiter, { caller: by, permit: takePlace(limiter, by), tokens: 5 });
      };
      admit();
      const error = refusalOf(admit);
      assert.equal(error.error, "pool_limit_exceeded");
      assert.match(error.message, new RegExp(`^This ${scope}'s limit of \\d ${words} is reached`));
      assert.ok(error.retryAfterSeconds! >= 1);
    }
  });
}

function refusalOf(run: () => unknown): GatewayError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    return error;
  }
  throw new Error("It was not refused");
}
