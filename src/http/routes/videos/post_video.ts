/**
 * `POST /v1/videos` (section 4.4 of the service specification): JSON, or the form
 * that OpenAI's SDKs send.
 *
 * @module
 */

import type { Caller } from "../../../accounts/key_directory.ts";
import type { VideoTask } from "../../../domain/video_task.ts";
import { fingerprint } from "../../../idempotency/fingerprint.ts";
import type { Permit } from "../../../limits/permit.ts";
import type { ByteRoom } from "../../../limits/stay.ts";
import type { CreateVideoRequest } from "../../../videos/create_request.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import { arrive } from "../../callers/arrive.ts";
import { idempotencyKey } from "../../idempotency/idempotency_key.ts";
import { IncomingRequest } from "../../listener/incoming_request.ts";
import { modelCallerOf } from "../../callers/model_caller.ts";
import { isForm, readForm } from "../../bodies/read_form.ts";
import { readJson } from "../../bodies/read_json.ts";
import { answerOnce } from "../../idempotency/repeatable_post.ts";
import type { AppContext } from "../../context/request_context.ts";
import { forwardedBody, sourceWishes } from "../../schemas/routing_fields.ts";
import { videoRequest } from "../../schemas/video_request.ts";
import { videoView } from "../../schemas/video_view.ts";
import { validate } from "../../bodies/validate.ts";
import { furtherFields } from "./further_fields.ts";
import { referenceBytes } from "./input_reference.ts";
import { POLL_AFTER } from "./poll_after.ts";

/** Makes the handler. */
export function postVideo(deps: ApiDeps): (context: AppContext) => Promise<Response> {
  return async (context) => {
    const { req } = context;
    const caller = modelCallerOf(context, deps);
    const key = idempotencyKey(req.raw);
    const stay = arrive(deps, caller);
    try {
      const value = await readFields(req.raw, deps, stay);
      const request = readRequest(value, { context, caller, permit: stay.permit });
      const post = {
        key,
        caller,
        stay,
        model: request.model,
        path: "/videos",
        fingerprint: () => request.fingerprint,
      };
      return await answerOnce(deps, context, {
        post,
        headers: POLL_AFTER,
        async make({ remember }) {
          const write = (task: VideoTask) => JSON.stringify(videoView(task, deps.videoViews()));
          const { body } = await deps.createVideo(request, { write, toRecord: remember });
          return body;
        },
      });
    } finally {
      stay.leave();
    }
  };
}

async function readFields(
  request: Request,
  { jsonLimits, maxFormBytes }: ApiDeps,
  budget: ByteRoom,
): Promise<unknown> {
  return isForm(request)
    ? await readForm(request, { maxBytes: maxFormBytes, budget })
    : (await readJson(request, { ...jsonLimits, budget })).value;
}

function readRequest(
  value: unknown,
  { context: { env, req }, caller, permit }: {
    readonly context: AppContext;
    readonly caller: Caller;
    readonly permit: Permit;
  },
): CreateVideoRequest {
  const checked = validate(videoRequest, value);
  const { model, prompt, size, seconds, callback_url: callbackUrl } = checked;
  env.note.model = model ?? undefined;
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
