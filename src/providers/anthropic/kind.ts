/**
 * What `anthropic` is to the gateway.
 *
 * @module
 */

import type { ProviderKind } from "../contract/kind.ts";
import { checkAuth, HIDDEN_SETTINGS, UPSTREAM_SETTINGS } from "../upstream/settings.ts";
import { createAnthropic, OWN_SETTINGS } from "./provider.ts";

export const anthropic: ProviderKind = {
  name: "anthropic",
  about: "Anthropic, or any server with its Messages API; base_url only where it is another's",
  serves: ["chat"],
  natively: ["anthropic_messages"],
  dialectOf: () => "anthropic_messages",
  settings: { ...UPSTREAM_SETTINGS, ...OWN_SETTINGS },
  hides: HIDDEN_SETTINGS,
  keyAuth: { kind: "header", name: "x-api-key" },
  check: checkAuth,
  create: createAnthropic,
};
