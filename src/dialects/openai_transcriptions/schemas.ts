/**
 * `POST /v1/audio/transcriptions` and `/v1/audio/translations`: what the gateway itself reads of a
 * form, of which everything else is forwarded untouched, and the answers.
 *
 * @module
 */

import * as z from "zod";
import { SpooledFile } from "../../files/spooled_file.ts";
import { modelField, routingFields } from "../base/routing_fields.ts";
import { answerFields } from "../base/answer.ts";

/** Formats that are texts, not JSON. */
export const TEXT_FORMATS: readonly unknown[] = ["text", "srt", "vtt"];

const isTrue = z.lazy(() =>
  z.union([
    z.boolean(),
    z.enum(["true", "false"]).transform((text) => text === "true"),
  ]).nullish()
);

const shared = () => ({
  model: modelField,
  file: z.instanceof(SpooledFile, { error: "Expected a file, with a filename" })
    .meta({ type: "string", format: "binary" }),
  prompt: z.string().max(200_000).optional(),
  response_format: z.string().min(1).max(64).optional().describe(
    "json (default), text, srt, vtt, verbose_json or diarized_json, as the upstream can",
  ),
  ...routingFields,
});

/** The form of a transcription. */
export const transcriptionRequest = z.lazy(() =>
  z.looseObject({
    ...shared(),
    stream: isTrue.describe("Answer with server-sent events"),
  })
);

/** The form of a translation. */
export const translationRequest = z.lazy(() => z.looseObject(shared()));

/** The answer in JSON. */
export const transcriptionSchema = z.lazy(() =>
  z.looseObject({
    text: z.string(),
    usage: z.looseObject({ type: z.enum(["tokens", "duration"]) }),
    ...answerFields,
  })
);
