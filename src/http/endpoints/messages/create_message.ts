/**
 * `POST /v1/messages`, as Anthropic's clients call it.
 *
 * @module
 */

import { anthropicMessages } from "../../../dialects/anthropic_messages/dialect.ts";
import { serve } from "../../../providers/serve.ts";
import { modelEndpoint } from "../shape/model_endpoint.ts";
import { requireKnownVersion } from "./api_version.ts";

export const createMessage = modelEndpoint({
  path: anthropicMessages.words.path,
  id: "createMessage",
  summary: "Answer in a conversation of Anthropic's form, by the best route for this request",
  dialect: anthropicMessages,
  serving: serve("anthropic_messages"),
  check: requireKnownVersion,
  keepsPrompts: true,
});
