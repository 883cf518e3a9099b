/**
 * The catalogue of a first run: what works without a key and without a network.
 *
 * @module
 */

import {
  type Catalogue,
  DEFAULT_TIMEOUTS,
  type Provider,
  type Route,
} from "../domain/catalogue.ts";

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

const ECHO_ROUTE: Route = {
  id: "builtin/echo-1",
  modelId: "echo-1",
  providerId: BUILTIN.id,
  upstreamModel: "echo-1",
  riskLevel: "low",
  weight: 1,
  enabled: true,
  maintenance: false,
  writtenSwitches: { enabled: true, maintenance: false },
  supports: {},
  limits: {},
  body: { set: {}, default: {}, drop: [] },
  prices: {
    version: 0,
    routeId: "builtin/echo-1",
    currency: "USD",
    cost: { input: 0n, output: 0n },
    sale: { kind: "free" },
  },
  video: undefined,
};

/** The built-in provider with its model, free of charge. */
export function firstCatalogue({ nowSeconds }: { nowSeconds: number }): Catalogue {
  return {
    currency: "USD",
    providers: [BUILTIN],
    models: [{
      id: "echo-1",
      kind: "chat",
      aliases: [],
      manualSelection: true,
      createdAt: nowSeconds,
      routes: [ECHO_ROUTE],
    }],
  };
}
