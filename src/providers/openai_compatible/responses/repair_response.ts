/**
 * Repairs a Response object: every key that OpenAI requires is there.
 *
 * @module
 */

import { tierOf } from "../../../dialects/openai/settings.ts";
import { isObject, type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";
import type { Answer } from "../../../dialects/base/answer.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import { responseHead } from "../../../dialects/openai_responses/response_head.ts";
import { OPENAI_ERRORS } from "../../../dialects/openai/read_error.ts";
import { errorOfBody } from "../../upstream/make_error.ts";
import { repairItem, textOfItem } from "./repair_item.ts";
import type { ResponseContext } from "./response_context.ts";
import { repairUsage } from "./repair_usage.ts";

/**
 * Repairs a whole answer in place.
 *
 * @throws {UpstreamError} When it is an error, a failed response, or no response.
 */
export function convertResponse(body: JsonObject, context: ResponseContext): Answer {
  const failure = failureOfResponse(body, context);
  if (failure !== undefined) throw failure;
  const { output } = body;
  if (!Array.isArray(output) || !output.every(isObject)) {
    throw new UpstreamError("broken", "The upstream's answer is no response: it has no output");
  }
  const isIncomplete = body.status === "incomplete" ||
    (body.status !== "completed" && isObject(body.incomplete_details));
  const status = isIncomplete ? "incomplete" : "completed";
  for (const item of output) repairItem(item, { ids: context.ids, status });
  const normalised = repairUsage(body, context.bounds);
  repairResponse(body, { ...context, status });
  return {
    body,
    usage: normalised?.usage,
    terms: tierOf(body),
    text: () => output.map(textOfItem).join(""),
  };
}

/** What a repair needs besides the call's own. */
export interface RepairResponseOptions extends ResponseContext {
  readonly status: "in_progress" | "completed" | "incomplete" | "queued";
}

/**
 * Completes a Response object, in place: what the upstream does not say back of
 * the request is said back all the same. Output and usage are left alone.
 */
export function repairResponse(response: JsonObject, options: RepairResponseOptions): void {
  const { status, clock, ids, request, upstreamModel } = options;
  const nowSeconds = Math.floor(clock.now() / 1000);
  response.object = "response";
  response.status = status;
  response.error = null;
  if (!isTime(response.created_at)) response.created_at = nowSeconds;
  // The gateway says when it was created: an upstream whose clock is behind would have it end before that.
  response.completed_at = status === "completed" ? nowSeconds : null;
  if (!isObject(response.incomplete_details)) response.incomplete_details = null;
  if (!Array.isArray(response.output)) response.output = [];
  for (const field of ["id", "model"]) {
    if (nonEmptyString(response[field]) === undefined) delete response[field];
  }
  const head = responseHead(request, {
    id: ids.completion(),
    created: nowSeconds,
    model: upstreamModel,
  });
  for (const field in head) response[field] ??= head[field];
}

/** The failure that a Response object tells; `undefined` for one that is, or may become, an answer. */
export function failureOfResponse(
  { status, error }: JsonObject,
  { concealed }: ResponseContext,
): UpstreamError | undefined {
  if (status === undefined || status === null) return undefined;
  if (status === "completed" || status === "incomplete") return undefined;
  if (isObject(error) || nonEmptyString(error) !== undefined) {
    return errorOfBody(OPENAI_ERRORS.read({ error }), concealed);
  }
  const word = typeof status === "string" && /^[a-z_]{1,30}$/.test(status) ? status : "unknown";
  return new UpstreamError("broken", `The upstream's response is no answer: its status is ${word}`);
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}
