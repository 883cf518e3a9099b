/**
 * `POST /v1/audio/transcriptions` and `/v1/audio/translations`: forms, whose file is on the disk.
 *
 * @module
 */

import type { Dialect } from "../../dialects/base/dialect.ts";
import {
  openaiTranscriptions,
  openaiTranslations,
} from "../../dialects/openai_transcriptions/dialect.ts";
import { HeardFile } from "../../dialects/openai_transcriptions/facts.ts";
import {
  TEXT_FORMATS,
  type transcriptionRequest,
} from "../../dialects/openai_transcriptions/schemas.ts";
import { soundLength } from "../../files/sound_length.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import { serve, type Serving } from "../../providers/serve.ts";
import { GatewayError } from "../../errors.ts";
import { plainText } from "../answers/plain_text.ts";
import type { Once } from "../idempotency/repeatable_post.ts";
import { spooledFormBody } from "./shape/body_kind.ts";
import type { Endpoint } from "./shape/endpoint.ts";
import { CALL_ERRORS, callRequest, STREAM_ANSWER } from "./shape/model_endpoint.ts";
import { type Arrived, repeatableEndpoint } from "./shape/repeatable_endpoint.ts";
import type * as z from "zod";

type Fields = z.output<typeof transcriptionRequest>;

interface TranscriptionSpec {
  readonly id: string;
  readonly summary: string;
  readonly dialect: Dialect & { readonly request: z.ZodType<Fields> };
  readonly serving: Serving;
}

function transcriptionEndpoint({ dialect, serving, ...spec }: TranscriptionSpec): Endpoint {
  const hasStreams = dialect.writer !== undefined;
  return repeatableEndpoint<Fields, Arrived<Fields>>({
    ...spec,
    path: dialect.words.path,
    family: dialect.family,
    callsModel: true,
    body: spooledFormBody(dialect.request, {
      maxBytes: ({ maxFormBytes }) => maxFormBytes,
      maxFiles: 1,
    }),
    answer: {
      schema: dialect.answer,
      types: ["text/plain", ...(hasStreams ? STREAM_ANSWER.types! : [])],
      headers: STREAM_ANSWER.headers,
    },
    errors: CALL_ERRORS,
    toRequest(arrived) {
      if (arrived.fields.file.bytes === 0) throw empty();
      return arrived;
    },
    toAnswer: ({ response_format: format }) =>
      TEXT_FORMATS.includes(format) ? plainText : undefined,
    serve: ({ engine }) => ({
      answer: async (arrived, once) =>
        await engine.answer(await heard(arrived, once), { dialect, invoke: serving.answer }),
      ...(hasStreams && {
        stream: async (arrived: Arrived<Fields>, once: Once) =>
          await engine.stream(await heard(arrived, once), {
            dialect,
            invoke: serving.stream,
            writer: ({ body }, model) => dialect.writer!(body, model),
          }),
      }),
    }),
  });
}

/** The request, with how long its sound plays. */
async function heard(arrived: Arrived<Fields>, once: Once) {
  const { file } = arrived.fields;
  const body = arrived.body.value as JsonObject;
  return callRequest(
    arrived,
    { ...body, file: new HeardFile(file, await soundLength(file)) },
    once,
  );
}

function empty(): GatewayError {
  return new GatewayError("invalid_value", "Invalid value for 'file': it is empty", {
    param: "file",
  });
}

export const createTranscription = transcriptionEndpoint({
  id: "createTranscription",
  summary: "Write down what is said in a file of sound",
  dialect: openaiTranscriptions,
  serving: serve("openai_transcriptions"),
});

export const createTranslation = transcriptionEndpoint({
  id: "createTranslation",
  summary: "Write down in English what is said in a file of sound",
  dialect: openaiTranslations as TranscriptionSpec["dialect"],
  serving: serve("openai_translations"),
});
