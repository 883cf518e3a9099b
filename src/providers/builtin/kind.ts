/**
 * What `builtin` is to the gateway.
 *
 * @module
 */

import type { ProviderKind } from "../contract/kind.ts";
import { BUILTIN_OFFER, checkBuiltinModel, checkOffer } from "./route_rules.ts";
import { createBuiltin } from "./provider.ts";

export const builtin: ProviderKind = {
  name: "builtin",
  about: "inside the executable",
  serves: ["chat", "embedding", "video"],
  natively: ["openai_chat"],
  settings: {},
  videoOffer: BUILTIN_OFFER,
  checkRoute(route, report) {
    checkBuiltinModel(route, report);
    checkOffer(route, report);
  },
  create: createBuiltin,
};
