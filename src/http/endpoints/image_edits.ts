/**
 * `POST /v1/images/edits`: a form with images, which are on the disk, or JSON that names them.
 *
 * @module
 */

import type * as z from "zod";
import { openaiImageEdits } from "../../dialects/openai_images/dialect.ts";
import type { imageEditRequest } from "../../dialects/openai_images/schemas.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { StreamKind } from "../../gateway/call_request.ts";
import { serve } from "../../providers/serve.ts";
import { isMultipart } from "../bodies/read_spooled_form.ts";
import type { Once } from "../idempotency/repeatable_post.ts";
import { type BodyKind, jsonBody, spooledFormBody } from "./shape/body_kind.ts";
import { CALL_ERRORS, callRequest, STREAM_ANSWER } from "./shape/model_endpoint.ts";
import { type Arrived, repeatableEndpoint } from "./shape/repeatable_endpoint.ts";

type Fields = z.output<typeof imageEditRequest>;

/** OpenAI takes 16 images and a mask. */
const MOST_FILES = 17;

const { answer, stream } = serve("openai_image_edits");

const streamed: StreamKind = {
  dialect: openaiImageEdits,
  invoke: stream,
  writer: () => openaiImageEdits.writer(),
};

/** A form whose files go to the disk, or JSON. */
function formOrJson(): BodyKind<Fields> {
  const schema = openaiImageEdits.request;
  const form = spooledFormBody<Fields>(schema, {
    maxBytes: ({ maxFormBytes }) => maxFormBytes,
    maxFiles: MOST_FILES,
  });
  const json = jsonBody<Fields>(schema);
  return {
    ...form,
    request: { schema, types: ["multipart/form-data", "application/json"] },
    reader(deps) {
      const readForm = form.reader(deps);
      const readJson = json.reader(deps);
      return (request, ...rest) =>
        isMultipart(request) ? readForm(request, ...rest) : readJson(request, ...rest);
    },
  };
}

/** Numbers of a form are texts: what the gateway counts by are numbers. */
function toCall(arrived: Arrived<Fields>, once: Once) {
  const { n, partial_images } = arrived.fields;
  const body = { ...arrived.body.value as JsonObject };
  if (body.n !== undefined) body.n = n;
  if (body.partial_images !== undefined) body.partial_images = partial_images;
  return callRequest(arrived, body, once);
}

export const createImageEdit = repeatableEndpoint<Fields, Arrived<Fields>>({
  path: openaiImageEdits.words.path,
  id: "createImageEdit",
  summary: "Make images of images and a text",
  family: openaiImageEdits.family,
  callsModel: true,
  body: formOrJson(),
  answer: { schema: openaiImageEdits.answer, ...STREAM_ANSWER },
  errors: CALL_ERRORS,
  hasLongTexts: true,
  toRequest: (arrived) => arrived,
  serve: ({ engine }) => ({
    answer: (arrived, once) =>
      engine.answer(toCall(arrived, once), { dialect: openaiImageEdits, invoke: answer }),
    stream: (arrived, once) => engine.stream(toCall(arrived, once), streamed),
  }),
});
