/**
 * `POST /v1/audio/speech`.
 *
 * @module
 */

import { withFirstModel } from "../../dialects/base/routing_fields.ts";
import { openaiSpeech } from "../../dialects/openai_speech/dialect.ts";
import { SOUND_TYPES } from "../../dialects/openai_speech/schemas.ts";
import { isEvents } from "../../dialects/openai_speech/facts.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { StreamKind } from "../../gateway/call_request.ts";
import { speakBy } from "../../providers/serve.ts";
import { soundResponse } from "../answers/sound_response.ts";
import { jsonBody } from "./shape/body_kind.ts";
import { CALL_ERRORS, callRequest, STREAM_ANSWER } from "./shape/model_endpoint.ts";
import { repeatableEndpoint } from "./shape/repeatable_endpoint.ts";

const kind: StreamKind = {
  dialect: openaiSpeech,
  invoke: speakBy,
  writer: ({ body }) => openaiSpeech.writer(body),
};

export const createSpeech = repeatableEndpoint({
  path: openaiSpeech.words.path,
  id: "createSpeech",
  summary: "Say a text aloud",
  family: openaiSpeech.family,
  callsModel: true,
  body: jsonBody(openaiSpeech.request, withFirstModel),
  answer: {
    ...STREAM_ANSWER,
    types: [...SOUND_TYPES, ...STREAM_ANSWER.types!],
  },
  errors: CALL_ERRORS,
  toRequest: (arrived) => arrived,
  isStream: () => true,
  toResponse: (fields) => isEvents(fields) ? undefined : soundResponse,
  serve: ({ engine }) => ({
    stream: (arrived, once) =>
      engine.stream(callRequest(arrived, arrived.body.value as JsonObject, once), kind),
  }),
});
