/**
 * What `bedrock` is to the gateway.
 *
 * @module
 */

import type { ProviderKind } from "../contract/kind.ts";
import { checkAuth, HIDDEN_SETTINGS, UPSTREAM_SETTINGS } from "../upstream/settings.ts";
import { createBedrock, nativeDialects, OWN_SETTINGS } from "./provider.ts";

export const bedrock: ProviderKind = {
  name: "bedrock",
  about: "Amazon Bedrock in one region; api_key is a key of Bedrock's, or aws signs",
  serves: ["chat"],
  natively: ["anthropic_messages", "openai_chat"],
  nativelyOf: nativeDialects,
  dialectOf({ bedrock_api: api = "converse" }) {
    if (api === "openai") return undefined;
    return api === "anthropic" ? "anthropic_messages" : "bedrock_converse";
  },
  settings: { ...UPSTREAM_SETTINGS, ...OWN_SETTINGS },
  hides: HIDDEN_SETTINGS,
  keyAuth: { kind: "bearer" },
  check(provider, path, report) {
    checkAuth(provider, path, report);
    if (provider.aws_region === undefined) report(path, "Missing: aws_region, such as us-east-1");
    const region = regionOf(provider.base_url);
    if (
      region !== undefined && provider.aws_region !== undefined && region !== provider.aws_region
    ) {
      report([...path, "aws_region"], `base_url is in ${region}: write the same region in both`);
    }
    if (provider.aws !== undefined && provider.api_key !== undefined) {
      report([...path, "aws"], "Signatures take the place of a key: remove api_key, or this");
    }
  },
  create: createBedrock,
};

/** Of an address of AWS's own. */
function regionOf(baseUrl: unknown): string | undefined {
  return typeof baseUrl !== "string"
    ? undefined
    : /^https:\/\/bedrock[\w-]*\.([a-z]+(?:-[a-z]+)+-\d+)\.(?:amazonaws\.com|api\.aws)(?:[:/]|$)/i
      .exec(baseUrl)?.[1];
}
