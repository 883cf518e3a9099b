/**
 * What an upstream's Responses API has besides answers: counting an input, and compacting a conversation.
 *
 * @module
 */

import { isObject, type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import { tierOf } from "../../../dialects/openai/settings.ts";
import type { Compacting, Counting, ProviderCall } from "../../contract/provider.ts";
import type { Endpoint } from "../../upstream/endpoint.ts";
import { convertResponseRequest } from "./convert_response_request.ts";
import { repairUsage } from "./repair_response.ts";

/** An upstream that has the API, but not this path. */
const LACKING: ReadonlySet<number> = new Set([404, 405, 501]);

/** Fields that say how long an input is. */
const COUNTED = [
  "model",
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "text",
  "reasoning",
  "truncation",
] as const;

/** Fields that a conversation is compacted by. */
const COMPACTED = [
  "model",
  "input",
  "instructions",
  "prompt_cache_key",
  "prompt_cache_retention",
  "prompt_cache_options",
  "service_tier",
] as const;

const isOn: Compacting["isOn"] = ({ supports }) => supports.responses === true;

/** Counts inputs. */
export function createInputCounting(endpoint: Endpoint): Counting {
  return {
    isOn,
    async ask(call, signal) {
      const count = await ask(endpoint, { path: "input_tokens", fields: COUNTED, call, signal });
      if (count === undefined) return undefined;
      if (!Number.isSafeInteger(count.input_tokens) || (count.input_tokens as number) < 0) {
        throw new UpstreamError("broken", "The upstream's answer is no count", { status: 200 });
      }
      return count;
    },
  };
}

/** Compacts conversations. */
export function createCompacting(endpoint: Endpoint): Compacting {
  return {
    isOn,
    async ask(call, signal) {
      const body = await ask(endpoint, { path: "compact", fields: COMPACTED, call, signal });
      if (body === undefined) return undefined;
      const { output } = body;
      if (!Array.isArray(output) || output.length === 0 || !output.every(isObject)) {
        throw new UpstreamError("broken", "The upstream's answer is no compacted conversation", {
          status: 200,
        });
      }
      const usage = repairUsage(body, { contextTokens: call.route.supports.contextTokens })?.usage;
      if (typeof body.created_at !== "number") {
        body.created_at = Math.floor(endpoint.clock.now() / 1000);
      }
      return {
        body,
        usage,
        terms: tierOf(body),
        // Nothing of it can be read: as long as what it stands for is told.
        text: () => output.map((item) => nonEmptyString(item.encrypted_content) ?? "").join(""),
      };
    },
  };
}

async function ask(
  endpoint: Endpoint,
  { path, fields, call, signal }: {
    readonly path: string;
    readonly fields: readonly string[];
    readonly call: ProviderCall;
    readonly signal: AbortSignal;
  },
): Promise<JsonObject | undefined> {
  const whole = convertResponseRequest(call, { stream: false });
  const named = Object.entries(whole).filter(([field]) => fields.includes(field));
  const body = JSON.stringify(Object.fromEntries(named));
  return await endpoint.withKeys(async (credential) => {
    const request = { method: "POST", path: `/responses/${path}`, body, credential } as const;
    const response = await endpoint.send(request, signal);
    if (!LACKING.has(response.status)) return await endpoint.jsonOf(response, { room: call.room });
    response.close();
    return undefined;
  });
}
