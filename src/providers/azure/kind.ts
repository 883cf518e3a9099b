/**
 * What `azure` is to the gateway.
 *
 * @module
 */

import { mappingFrom } from "../../documents/problem.ts";
import type { ProviderKind } from "../contract/kind.ts";
import {
  checkAddress,
  checkAuth,
  HIDDEN_SETTINGS,
  UPSTREAM_SETTINGS,
} from "../upstream/settings.ts";
import { createAzure, OWN_SETTINGS } from "./provider.ts";

export const azure: ProviderKind = {
  name: "azure",
  about: "Azure OpenAI and Foundry; base_url is the resource, upstream_model the deployment",
  serves: ["chat", "embedding", "image", "speech", "transcription", "video"],
  natively: ["openai_chat", "openai_image_edits"],
  settings: { ...UPSTREAM_SETTINGS, ...OWN_SETTINGS },
  hides: HIDDEN_SETTINGS,
  keyAuth: { kind: "header", name: "api-key" },
  check(provider, path, report) {
    checkAddress(provider, path, report);
    checkAuth(provider, path, report);
    if (provider.entra !== undefined && provider.api_key !== undefined) {
      report([...path, "entra"], "Tokens take the place of keys: remove api_key, or this");
    }
    if (mappingFrom(provider.query)["api-version"] !== undefined) {
      report([...path, "query", "api-version"], "Write it as api_version");
    }
  },
  create: createAzure,
};
