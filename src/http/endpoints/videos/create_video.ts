/**
 * `POST /v1/videos` (section 4.4 of the service specification): JSON, or the form
 * that OpenAI's SDKs send.
 *
 * @module
 */

import type { VideoTask } from "../../../domain/video_task.ts";
import { fingerprint } from "../../../idempotency/fingerprint.ts";
import type { CreateVideoRequest } from "../../../videos/task/create_request.ts";
import { tagsOf } from "../../callers/tags.ts";
import { IncomingRequest } from "../../listener/incoming_request.ts";
import { forwardedBody, sourceWishes } from "../../../dialects/base/routing_fields.ts";
import { videoRequest, type VideoRequestFields } from "../../schemas/video_request.ts";
import { videoView, videoViewSchema } from "../../schemas/video_view.ts";
import { jsonOrFormBody } from "../shape/body_kind.ts";
import { CALL_ERRORS } from "../shape/model_endpoint.ts";
import { type Arrived, repeatableEndpoint } from "../shape/repeatable_endpoint.ts";
import { POLL_AFTER } from "./tasks.ts";
import { GatewayError } from "../../../errors.ts";

export const createVideo = repeatableEndpoint({
  path: "/videos",
  id: "createVideo",
  summary: "Order a film; it is made in the background",
  callsModel: true,
  body: jsonOrFormBody(videoRequest),
  answer: { schema: videoViewSchema, headers: POLL_AFTER },
  // Upstreams refuse what they cannot make when the answer is out.
  errors: CALL_ERRORS.filter((status) => status !== 422),
  toRequest,
  fingerprint: (request) => request.fingerprint,
  serve: (deps) => ({
    async answer(request, { remember }) {
      const write = (task: VideoTask) => JSON.stringify(videoView(task, deps.videoViews()));
      const { body } = await deps.createVideo(request, { write, toRecord: remember });
      return body;
    },
  }),
});

function toRequest(
  { context: { env, req }, caller, stay: { permit }, fields: checked }: Arrived<VideoRequestFields>,
): CreateVideoRequest {
  const { model, models, prompt, size, seconds, callback_url: callbackUrl } = checked;
  if (models !== null && models !== undefined && models.length > 0) {
    throw new GatewayError(
      "not_supported",
      "'models' is not supported for films, which wait in the queue of one model: name it as 'model'",
      { param: "models" },
    );
  }
  const {
    model: _model,
    prompt: _prompt,
    size: _size,
    seconds: _seconds,
    input_reference: _reference,
    callback_url: _callbackUrl,
    ...others
  } = forwardedBody(checked);
  const asked = {
    model: model ?? undefined,
    prompt,
    size: size ?? undefined,
    seconds: seconds ?? undefined,
    wishes: sourceWishes(checked),
    fields: furtherFields(others),
    reference: referenceBytes(checked.input_reference),
    callbackUrl: callbackUrl ?? undefined,
    tags: tagsOf(req.raw, checked.tags, env.inside),
  };
  return {
    ...asked,
    identity: env.identity,
    caller,
    permit,
    isRetry: Number(IncomingRequest.header(req.raw, "x-stainless-retry-count") ?? 0) > 0,
    fingerprint: fingerprint(asked),
    arrivedAt: env.arrivedAt,
  };
}

/** They are kept with the task, in memory too as long as it is open. */
const MAX_CHARACTERS = 65_536;

/**
 * The fields that say something: without those that are `null`.
 *
 * @throws {GatewayError} `invalid_value` for a file, `request_too_large` for more
 * than 65,536 characters of JSON.
 */
function furtherFields(
  others: { readonly [name: string]: unknown },
): { readonly [name: string]: unknown } {
  const fields = Object.entries(others).filter(([, value]) =>
    value !== null && value !== undefined
  );
  for (const [param, value] of fields) {
    if (!holdsFile(value)) continue;
    const shown = param.slice(0, 100);
    throw new GatewayError(
      "invalid_value",
      `Invalid value for '${shown}': the only file that a form may carry is 'input_reference'`,
      { param: shown },
    );
  }
  const further = Object.fromEntries(fields);
  if (JSON.stringify(further).length > MAX_CHARACTERS) {
    throw new GatewayError(
      "request_too_large",
      `The fields beside those of a film have more than ${MAX_CHARACTERS} characters of JSON: send an image as 'input_reference'`,
    );
  }
  return further;
}

function holdsFile(value: unknown): boolean {
  if (value instanceof Uint8Array) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsFile);
}

const DATA_URL = /^data:[\w.+-]+\/[\w.+-]+;base64,/i;
const PARAM = "input_reference";

/**
 * The image's bytes; whether they are an image is looked at later.
 *
 * @throws {GatewayError} `invalid_value`, or `not_supported` for a file id.
 */
export function referenceBytes(
  reference: VideoRequestFields["input_reference"],
): Uint8Array<ArrayBuffer> | undefined {
  if (reference === undefined || reference === null) return undefined;
  if (reference instanceof Uint8Array) {
    if (reference.length === 0) throw empty();
    return reference as Uint8Array<ArrayBuffer>;
  }
  if (typeof reference === "string") return fromDataUrl(reference);
  if ("file_id" in reference) {
    throw new GatewayError(
      "not_supported",
      "Files by id are not supported here: send the image itself, as a file or a data URL",
      { param: `${PARAM}.file_id` },
    );
  }
  const { image_url: image } = reference;
  return fromDataUrl(typeof image === "string" ? image : image.url);
}

function empty(): GatewayError {
  return new GatewayError(
    "invalid_value",
    "Invalid value for 'input_reference': it is empty: send a file or leave it out",
    { param: PARAM },
  );
}

function fromDataUrl(text: string): Uint8Array<ArrayBuffer> {
  if (text === "") throw empty();
  const head = DATA_URL.exec(text.slice(0, 200))?.[0];
  if (head === undefined) {
    throw new GatewayError(
      "invalid_value",
      "Invalid value for 'input_reference': send the image itself, as a file or as 'data:image/png;base64,…'; nothing is fetched from other addresses",
      { param: PARAM },
    );
  }
  try {
    return Uint8Array.fromBase64(text.slice(head.length));
  } catch (cause) {
    throw new GatewayError(
      "invalid_value",
      "Invalid value for 'input_reference': what follows 'base64,' is not base64",
      { param: PARAM, cause },
    );
  }
}
