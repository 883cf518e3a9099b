/**
 * What `gemini` is to the gateway.
 *
 * @module
 */

import type { ProviderKind } from "../contract/kind.ts";
import { checkAuth, HIDDEN_SETTINGS, UPSTREAM_SETTINGS } from "../upstream/settings.ts";
import { checkFilms, filmFault, VEO_OFFER } from "./videos/create_body.ts";
import { editFault } from "./images/image_forms.ts";
import { createGemini, OWN_SETTINGS } from "./provider.ts";

export const gemini: ProviderKind = {
  name: "gemini",
  about:
    "Google's Gemini by a key of AI Studio, in its own dialect; base_url only where it is another's",
  serves: ["chat", "embedding", "image", "video"],
  dialectOf: () => "gemini",
  settings: { ...UPSTREAM_SETTINGS, ...OWN_SETTINGS },
  hides: HIDDEN_SETTINGS,
  keyAuth: { kind: "header", name: "x-goog-api-key" },
  check: checkAuth,
  videoOffer: VEO_OFFER,
  checkRoute: checkFilms,
  filmFault,
  capabilityFault: editFault,
  create: createGemini,
};
