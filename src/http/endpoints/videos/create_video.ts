/**
 * `POST /v1/videos` (section 4.4 of the service specification): JSON, or the form
 * that OpenAI's SDKs send.
 *
 * @module
 */

import type { VideoTask } from "../../../domain/video_task.ts";
import { fingerprint } from "../../../idempotency/fingerprint.ts";
import type { CreateVideoRequest } from "../../../videos/task/create_request.ts";
import { IncomingRequest } from "../../listener/incoming_request.ts";
import { forwardedBody, sourceWishes } from "../../../dialects/base/routing_fields.ts";
import { videoRequest, type VideoRequestFields } from "../../schemas/video_request.ts";
import { videoView, videoViewSchema } from "../../schemas/video_view.ts";
import { jsonOrFormBody } from "../shape/body_kind.ts";
import { CALL_ERRORS } from "../shape/model_endpoint.ts";
import { type Arrived, repeatableEndpoint } from "../shape/repeatable_endpoint.ts";
import { furtherFields } from "./further_fields.ts";
import { referenceBytes } from "./input_reference.ts";
import { POLL_AFTER } from "./tasks.ts";

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
  const { model, prompt, size, seconds, callback_url: callbackUrl } = checked;
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
