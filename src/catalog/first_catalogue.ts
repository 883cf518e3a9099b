/**
 * The catalogue of a first run: what works without a key and without a network.
 *
 * @module
 */

import {
  type Catalogue,
  DEFAULT_TIMEOUTS,
  type Model,
  type Provider,
  type Route,
} from "../domain/catalogue.ts";
import { BUILTIN_EMBEDDING_MODEL } from "../domain/chat_faults.ts";
import type { Rates } from "../domain/price.ts";
import { BUILTIN_VIDEO_MODEL } from "@tollgate/render/faults";
import { BUILTIN_OFFER } from "../providers/builtin/route_rules.ts";

const BUILTIN: Provider = {
  id: "builtin",
  kind: "builtin",
  baseUrl: undefined,
  apiKeys: [],
  auth: { kind: "none" },
  official: false,
  headers: {},
  query: {},
  timeouts: DEFAULT_TIMEOUTS,
};

const ECHO = builtinModel("echo-1", { kind: "chat", cost: { input: 0n, output: 0n } });

const VIDEO = builtinModel(BUILTIN_VIDEO_MODEL, {
  kind: "video",
  // What clients of the closed Videos API name.
  aliases: ["sora-2"],
  cost: { second: 0n },
  video: BUILTIN_OFFER,
});

const HASH_EMBED = builtinModel(BUILTIN_EMBEDDING_MODEL, {
  kind: "embedding",
  cost: { input: 0n },
});

/** The built-in provider with its models, free of charge. */
export function firstCatalogue({ nowSeconds }: { nowSeconds: number }): Catalogue {
  return {
    currency: "USD",
    providers: [BUILTIN],
    models: [ECHO, HASH_EMBED, VIDEO].map((model) => ({ ...model, createdAt: nowSeconds })),
  };
}

function builtinModel(
  id: string,
  { kind, aliases = [], cost, video }: {
    readonly kind: Model["kind"];
    readonly aliases?: readonly string[];
    readonly cost: Rates;
    readonly video?: Route["video"];
  },
): Omit<Model, "createdAt"> {
  const routeId = `${BUILTIN.id}/${id}`;
  const route: Route = {
    id: routeId,
    modelId: id,
    providerId: BUILTIN.id,
    upstreamModel: id,
    riskLevel: "low",
    weight: 1,
    enabled: true,
    maintenance: false,
    writtenSwitches: { enabled: true, maintenance: false },
    supports: {},
    limits: {},
    body: { set: {}, default: {}, drop: [] },
    prices: { version: 0, routeId, currency: "USD", cost, sale: { kind: "free" } },
    video,
  };
  return { id, kind, aliases, manualSelection: true, routes: [route] };
}
