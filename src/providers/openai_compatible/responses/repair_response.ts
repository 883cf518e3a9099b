/**
 * Repairs a Response object: every key that OpenAI requires is there.
 *
 * @module
 */

import { tierOf } from "../../../dialects/openai/settings.ts";
import { asArray, isObject, type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";
import { searchesIn } from "../../../dialects/openai_responses/listed_tools.ts";
import type { Answer, AnswerRoom } from "../../../dialects/base/answer.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import {
  responseHead,
  responseUsageBody,
} from "../../../dialects/openai_responses/response_head.ts";
import { OPENAI_ERRORS } from "../../../dialects/openai/read_error.ts";
import { errorOfBody } from "../../upstream/make_error.ts";
import { repairItem, textOfItem } from "./repair_item.ts";
import type { Clock } from "../../../domain/clock.ts";
import type { CompletionIds } from "../../../dialects/base/completion_ids.ts";
import {
  findUsage,
  type NormalisedUsage,
  normaliseUsage,
  type UsageBounds,
} from "../../../dialects/openai/normalise_usage.ts";
import type { Concealed } from "../../upstream/clean_message.ts";

/**
 * Finds and normalises the usage of a Response object and leaves it there in
 * OpenAI's form; an absurd one is taken out. The searches of its output are bought with it.
 */
export function repairUsage(
  response: JsonObject,
  bounds: UsageBounds,
): NormalisedUsage | undefined {
  const found = findUsage(response);
  const work = found === undefined ? undefined : normaliseUsage(found.raw, bounds)?.usage;
  delete response.usage;
  if (found === undefined || work === undefined) return undefined;
  const body = responseUsageBody(work, found.raw);
  response.usage = body;
  const search = searchesIn(asArray(response.output));
  return { usage: search === 0 ? work : { ...work, search }, body };
}

/** One call, as far as its answer depends on it. */
export interface ResponseContext {
  readonly ids: CompletionIds;
  readonly clock: Clock;
  readonly upstreamModel: string;
  readonly bounds: UsageBounds;
  /** The caller's body: what it says of the answer, the answer says back. */
  readonly request: Readonly<JsonObject>;
  readonly concealed: Concealed;
  /** Where is counted what is kept of a stream. */
  readonly room?: AnswerRoom | undefined;
}

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
