/**
 * What `openai_compatible` is to the gateway.
 *
 * @module
 */

import type { ProviderKind } from "../contract/kind.ts";
import {
  checkAddress,
  checkAuth,
  HIDDEN_SETTINGS,
  UPSTREAM_SETTINGS,
} from "../upstream/settings.ts";
import { createOpenAiCompatible, OWN_SETTINGS } from "./provider.ts";

export const openAiCompatible: ProviderKind = {
  name: "openai_compatible",
  about: "any server with OpenAI's API",
  serves: [
    "chat",
    "embedding",
    "image",
    "speech",
    "transcription",
    "moderation",
    "rerank",
    "video",
  ],
  natively: ["openai_chat", "openai_image_edits"],
  settings: { ...UPSTREAM_SETTINGS, ...OWN_SETTINGS },
  hides: HIDDEN_SETTINGS,
  keyAuth: { kind: "bearer" },
  check(provider, path, report) {
    checkAddress(provider, path, report);
    checkAuth(provider, path, report);
  },
  create: createOpenAiCompatible,
};
