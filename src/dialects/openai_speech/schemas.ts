/**
 * `POST /v1/audio/speech`: what the gateway itself reads of the body, of which everything else is
 * forwarded untouched, and the events of an answer.
 *
 * @module
 */

import * as z from "zod";
import { modelField, routingFields } from "../base/routing_fields.ts";
import { answerFields } from "../base/answer.ts";

/** OpenAI takes 4,096 characters. */
const MOST_CHARACTERS = 100_000;

/** The body of a request for speech. */
export const speechRequest = z.lazy(() =>
  z.looseObject({
    model: modelField,
    input: z.string().min(1).max(MOST_CHARACTERS).describe("What is said"),
    voice: z.union([z.string().min(1).max(200), z.looseObject({ id: z.string().min(1).max(200) })])
      .nullish().describe("Whose voice says it, by its name or id"),
    instructions: z.string().max(MOST_CHARACTERS).nullish().describe("How it is said"),
    response_format: z.string().min(1).max(64).nullish().describe(
      "mp3 (default), opus, aac, flac, wav or pcm, as the upstream can",
    ),
    speed: z.number().min(0.05).max(20).nullish(),
    stream_format: z.enum(["audio", "sse"]).nullish().describe(
      "The sound itself (default), or server-sent events with it",
    ),
    ...routingFields,
  })
);

/** The last event of an answer that comes as events. */
export const speechDoneSchema = z.lazy(() =>
  z.looseObject({
    type: z.literal("speech.audio.done"),
    usage: z.looseObject({
      input_tokens: z.int(),
      output_tokens: z.int(),
      total_tokens: z.int(),
    }),
    ...answerFields,
  })
);

const MEDIA_TYPES: ReadonlyMap<unknown, string> = new Map([
  ["mp3", "audio/mpeg"],
  ["opus", "audio/ogg"],
  ["aac", "audio/aac"],
  ["flac", "audio/flac"],
  ["wav", "audio/wav"],
  ["pcm", "audio/pcm"],
]);

/** Media types of the formats that there are, and of those that nobody here knows. */
export const SOUND_TYPES: readonly string[] = [...MEDIA_TYPES.values(), "application/octet-stream"];

/** The media type of a format, where nobody tells it. */
export function mediaTypeOf(format: unknown): string {
  return MEDIA_TYPES.get(format ?? "mp3") ?? "application/octet-stream";
}
