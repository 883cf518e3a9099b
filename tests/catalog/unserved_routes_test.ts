/**
 * Routes whose providers cannot serve them: refused in a file, left out where they are stored.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DIALECTS } from "../../src/dialects/registry.ts";
import { capabilityOf } from "../../src/domain/capabilities.ts";
import { createSnapshot } from "../../src/catalog/snapshot.ts";
import { toFile } from "../support/catalogue_file.ts";
import { notServed, unservedRoutes } from "../../src/catalog/unserved_routes.ts";
import type { Catalogue } from "../../src/domain/catalogue.ts";
import type { ProviderKind } from "../../src/providers/contract/kind.ts";
import { kindNamed, PROVIDER_KINDS } from "../../src/providers/kinds.ts";
import { createRegistry } from "../../src/providers/registry.ts";
import { createTransport } from "../../src/providers/transport/transport.ts";
import { refuseRoute } from "../../src/routing/constraints.ts";
import { systemClock } from "../../src/domain/clock.ts";
import { model, route } from "../support/catalogue_parts.ts";
import { providerSettings } from "../support/provider_parts.ts";
import { question } from "../support/route_question.ts";

const STRANGE: Catalogue = {
  currency: "USD",
  providers: [
    providerSettings({ id: "acme" }),
    providerSettings({ id: "far", kind: "telepathy", own: { range: 7 } }),
  ],
  models: [model([route({ id: "acme/one" }), route({ id: "far/one", providerId: "far" })])],
};

Deno.test("unservedRoutes() leaves out routes of a kind that this version does not know", () => {
  assert.deepEqual([...unservedRoutes(STRANGE)], [["far/one", {
    reason: "provider_kind_unknown",
    detail: "this version knows no providers of kind 'telepathy'",
  }]]);
});

Deno.test("a route of an unknown kind is refused with that reason, and no other route is", () => {
  const { models, unserved } = createSnapshot(STRANGE);
  const asked = question({ routes: models[0]!.routes, unserved });
  const [known, unknown] = models[0]!.routes.map((one) => refuseRoute(one, asked));
  assert.equal(known, undefined);
  assert.deepEqual(unknown, {
    route: "far/one",
    provider: "far",
    reason: "provider_kind_unknown",
    detail: "this version knows no providers of kind 'telepathy'",
  });
});

Deno.test("a registry lives with a kind that it does not know", () => {
  const clock = systemClock;
  const transport = createTransport({ clock });
  const registry = createRegistry({ transport, clock, random: Math.random, secrets: () => "k" });
  registry.update(STRANGE.providers);
  assert.equal(registry.provider("far"), undefined);
  assert.equal(registry.provider("acme")?.id, "acme");
  transport.close();
});

Deno.test("toFile() writes all that is stored of a provider of an unknown kind", () => {
  const [, far] = toFile(STRANGE).providers as readonly Record<string, unknown>[];
  assert.equal(far!.kind, "telepathy");
  assert.equal(far!.range, 7);
  assert.equal(far!.base_url, "http://127.0.0.1:1/v1");
});

Deno.test("notServed() names what a kind serves instead", () => {
  const chats: ProviderKind = { ...kindNamed("openai_compatible")!, name: "x", serves: ["chat"] };
  assert.equal(notServed(chats, "chat"), undefined);
  assert.equal(
    notServed(chats, "video"),
    "A x provider serves no video models: it serves chat",
  );
});

Deno.test("every kind makes providers that can do what it says", () => {
  const clock = systemClock;
  const transport = createTransport({ clock });
  for (const kind of PROVIDER_KINDS) {
    const made = kind.create(
      providerSettings({
        kind: kind.name,
        own: { aws_region: "eu-west-1", project: "shop-1", credentials: "env:GOOGLE" },
      }),
      { transport, clock, random: Math.random, secrets: () => "k" },
    );
    const spoken = Object.values(DIALECTS).filter(({ name }) => name in made.speaks);
    const done = [
      ...new Set([
        ...(made.speaks.gemini ?? made.speaks.bedrock_converse ? ["chat"] : []),
        ...spoken.map(({ capability }) => capabilityOf(capability).kind),
      ]),
      ...(made.speak === undefined ? [] : ["speech"]),
      ...(made.videos !== undefined || made.rendersVideos === true ? ["video"] : []),
    ];
    assert.deepEqual([...kind.serves].sort(), done.sort(), kind.name);
  }
  transport.close();
});
