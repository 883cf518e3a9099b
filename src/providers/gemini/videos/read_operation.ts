/**
 * What an operation says of its film.
 *
 * @module
 */

import { GEMINI_ERRORS } from "../../../dialects/gemini/read_error.ts";
import {
  asArray,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../../domain/json_value.ts";
import type { VideoReport } from "../../contract/video_upstream.ts";
import { cleanMessage, type Concealed } from "../../upstream/clean_message.ts";
import { identifier } from "../../upstream/make_error.ts";

/** A finished film, where it is. */
export interface Film {
  /** Base64. */
  readonly bytes: string | undefined;
  readonly uri: string | undefined;
}

/** Of the films in an answer the first: one is asked for. `undefined` where there is none. */
export function filmOf({ response }: JsonObject): Film | undefined {
  const { generateVideoResponse, generatedVideos, videos } = asObject(response) ?? {};
  const samples = asArray(
    asObject(generateVideoResponse)?.generatedSamples ?? generatedVideos ?? videos,
  );
  for (const sample of samples) {
    if (!isObject(sample)) continue;
    // Of either address.
    const { uri, gcsUri, bytesBase64Encoded, encodedVideo } = asObject(sample.video) ?? sample;
    const bytes = nonEmptyString(bytesBase64Encoded) ?? nonEmptyString(encodedVideo);
    const where = nonEmptyString(uri) ?? nonEmptyString(gcsUri);
    if (bytes !== undefined || where !== undefined) return { bytes, uri: where };
  }
  return undefined;
}

/** A film that Google's filters keep back has failed, and is not paid for. */
export function readOperation(operation: JsonObject, concealed: Concealed): VideoReport {
  if (operation.error !== undefined && operation.error !== null) {
    const { message, type } = GEMINI_ERRORS.read(operation);
    const code = identifier(type?.toLowerCase(), concealed);
    const said = message === undefined ? undefined : cleanMessage(message, concealed);
    return failed(code, said ?? "The upstream's operation failed");
  }
  if (operation.done !== true) {
    return { status: "in_progress", progress: undefined, error: undefined };
  }
  if (filmOf(operation) !== undefined) {
    return { status: "completed", progress: undefined, error: undefined };
  }
  const reason = filterReason(asObject(operation.response) ?? {});
  return reason === undefined
    ? failed(undefined, "The upstream's operation ended without a film")
    : failed("content_policy_violation", cleanMessage(reason, concealed) ?? "Filtered");
}

function filterReason(response: JsonObject): string | undefined {
  const { raiMediaFilteredCount: count, raiMediaFilteredReasons: reasons } =
    asObject(response.generateVideoResponse) ?? response;
  const said = asArray(reasons).map(nonEmptyString).find((one) => one !== undefined);
  if (said === undefined && !(typeof count === "number" && count > 0)) return undefined;
  return said ?? "The film was kept back by the upstream's filters";
}

function failed(code: string | undefined, message: string): VideoReport {
  return { status: "failed", progress: undefined, error: { code, message } };
}
