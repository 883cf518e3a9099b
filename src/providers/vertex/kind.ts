/**
 * What `vertex` is to the gateway.
 *
 * @module
 */

import type { ProviderKind } from "../contract/kind.ts";
import { HIDDEN_SETTINGS, UPSTREAM_SETTINGS } from "../upstream/settings.ts";
import { editFault } from "../gemini/images/image_forms.ts";
import { checkFilms, filmFault, VEO_OFFER } from "../gemini/videos/create_body.ts";
import { isClaude } from "./claude.ts";
import { createVertex, OWN_SETTINGS } from "./provider.ts";

const { base_url, headers, query } = UPSTREAM_SETTINGS;

export const vertex: ProviderKind = {
  name: "vertex",
  about: "Google's cloud by a service account: Gemini, Veo, embeddings and Claude of one project",
  serves: ["chat", "embedding", "image", "video"],
  natively: ["anthropic_messages"],
  nativelyOf: (_settings, route) => isClaude(route) ? ["anthropic_messages"] : [],
  dialectOf: (_, upstreamModel) => isClaude({ upstreamModel }) ? "anthropic_messages" : "gemini",
  settings: { base_url, headers, query, ...OWN_SETTINGS },
  hides: HIDDEN_SETTINGS,
  videoOffer: VEO_OFFER,
  checkRoute: checkFilms,
  filmFault,
  capabilityFault: editFault,
  check(provider, path, report) {
    if (provider.project === undefined) {
      report(path, "Missing: project, the id of Google's project");
    }
    if (provider.credentials === undefined) {
      report(path, "Missing: credentials, such as file:/etc/tollgate/google.json");
    }
  },
  create: createVertex,
};
