/**
 * Anthropic's models in Google's cloud: its dialect at addresses of Google's, with the model in the path
 * and the version in the body.
 *
 * @module
 */

import { ANTHROPIC_ERRORS } from "../../dialects/anthropic_messages/read_error.ts";
import { GEMINI_ERRORS } from "../../dialects/gemini/read_error.ts";
import type { ErrorForm } from "../../dialects/base/error_form.ts";
import type { Provider as ProviderSettings, Route } from "../../domain/catalogue.ts";
import { Messages } from "../anthropic/messages.ts";
import type { ProviderOptions } from "../contract/kind.ts";
import type { Conversation, Counting } from "../contract/provider.ts";
import type { Authority } from "../upstream/authority.ts";
import { Endpoint } from "../upstream/endpoint.ts";

const VERSION = "vertex-2023-10-16";

/** What Anthropic's models say is in its form, what the cloud around them says in Google's. */
const ERRORS: ErrorForm = {
  ...ANTHROPIC_ERRORS,
  parse(text, header) {
    const googles = GEMINI_ERRORS.parse(text, header);
    // A status in capitals.
    return /^[A-Z_]+$/.test(googles.type ?? "") ? googles : ANTHROPIC_ERRORS.parse(text, header);
  },
};

/** Whether a route's model is one of Anthropic's. */
export function isClaude({ upstreamModel }: Pick<Route, "upstreamModel">): boolean {
  return /^claude-/.test(upstreamModel);
}

/** What is asked of such models. */
export interface Claude {
  readonly conversation: Conversation;
  readonly countTokens: Counting["ask"];
}

/** Messages on the routes of such models. */
export function claudeOnVertex(
  settings: ProviderSettings,
  options: ProviderOptions & { readonly authority: Authority },
  place: string,
): Claude {
  const endpoint = new Endpoint(settings, { ...options, errors: ERRORS });
  const messages = new Messages(endpoint, {
    path: ({ what, route }) => {
      const model = what === "count" ? "count-tokens" : encodeURIComponent(route.upstreamModel);
      const verb = what === "stream" ? "streamRawPredict" : "rawPredict";
      return `/v1${place}/publishers/anthropic/models/${model}:${verb}`;
    },
    headers: () => undefined,
    adjust: (body, { what, headers }) => {
      // A count names its model in the body.
      if (what !== "count") delete body.model;
      body.anthropic_version = VERSION;
      const betas = headers?.["anthropic-beta"];
      if (betas !== undefined) body.anthropic_beta = betas.split(",").map((beta) => beta.trim());
      return body;
    },
  });
  return {
    conversation: {
      isOn: isClaude,
      answer: (call, signal) => messages.answer(call, signal),
      stream: (call, signal) => messages.stream(call, signal),
    },
    countTokens: (call, signal) => messages.countTokens(call, signal),
  };
}
