/**
 * What an upstream that speaks OpenAI's protocol may have besides chat, Responses, embeddings and
 * films, and where.
 *
 * @module
 */

import * as z from "zod";
import type { CompletionIds } from "../../../dialects/base/completion_ids.ts";
import type { AskStream, Exchange, ProviderCall } from "../../contract/provider.ts";
import type { Endpoint } from "../../upstream/endpoint.ts";
import { Completions } from "./complete.ts";
import { askJson, bodyFor } from "./ask_json.ts";
import { type ImageQuestion, makeImages, streamImages } from "./make_images.ts";
import { readModeration } from "./moderate.ts";
import { formOf } from "./form_parts.ts";
import { transcriber } from "./transcribe.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import { SpooledFile } from "../../../files/spooled_file.ts";
import { speak } from "./speak.ts";
import { rankingFields, readRanking } from "./rank.ts";

/** Where most upstreams have it, behind their base URL. */
const PATHS = {
  completions: "/completions",
  images: "/images/generations",
  image_edits: "/images/edits",
  speech: "/audio/speech",
  transcriptions: "/audio/transcriptions",
  translations: "/audio/translations",
  moderations: "/moderations",
  rerank: "/rerank",
} as const;

const path = z.string().max(200).regex(
  /^(?:\/[A-Za-z0-9._~-]+)+$/,
  "Expected a path behind base_url, such as /fim/completions",
);

/** Where an upstream has them that has them elsewhere. */
export const upstreamPaths = z.strictObject(
  Object.fromEntries(
    Object.entries(PATHS).map(([name, usual]) => [
      name,
      path.optional().describe(`Default: ${usual}.`),
    ]),
  ) as { readonly [name in keyof typeof PATHS]: z.ZodOptional<typeof path> },
).optional().describe(
  "Paths behind base_url at which the upstream has what others have elsewhere. Default: as others.",
);

/** What such exchanges are made with. */
export interface OthersOptions {
  readonly ids: CompletionIds;
  readonly paths: z.output<typeof upstreamPaths>;
}

/** Has texts spoken. */
export function speaker(endpoint: Endpoint, { paths }: Pick<OthersOptions, "paths">): AskStream {
  const { speech: path } = { ...PATHS, ...paths };
  return (call, signal) => speak(endpoint, call, { path, signal });
}

/** Of what has no streams: an upstream that took a caller at its word would seem to be broken. */
const NO_STREAM = { stream: undefined, stream_options: undefined } as const;

/** Makes them, by their dialects. */
export function createOthers(endpoint: Endpoint, { ids, paths }: OthersOptions) {
  const at = { ...PATHS, ...paths };
  const made = { path: at.images, done: "image_generation.completed" } as const;
  const edited = { path: at.image_edits, done: "image_edit.completed" } as const;
  return {
    openai_completions: new Completions(endpoint, { ids, path: at.completions }),
    openai_images: {
      answer: (call, signal) => makeImages(endpoint, { ...made, ...imageQuestion(call, signal) }),
      stream: (call, signal) => streamImages(endpoint, { ...made, ...imageQuestion(call, signal) }),
    },
    openai_image_edits: {
      answer: (call, signal) => makeImages(endpoint, { ...edited, ...imageQuestion(call, signal) }),
      stream: (call, signal) =>
        streamImages(endpoint, { ...edited, ...imageQuestion(call, signal) }),
    },
    openai_transcriptions: transcriber(endpoint, at.transcriptions),
    openai_translations: transcriber(endpoint, at.translations),
    openai_moderations: {
      answer(call, signal) {
        const body = bodyFor(call, NO_STREAM);
        return askJson(endpoint, {
          call,
          sent: { body: JSON.stringify(body) },
          question: {
            path: at.moderations,
            title: "judgement of every input",
            read: (answer) => readModeration(answer, body, ids),
          },
          signal,
        });
      },
    },
    rerank: {
      answer: (call, signal) =>
        askJson(endpoint, {
          call,
          sent: {
            body: JSON.stringify(bodyFor(call, { ...rankingFields(call.body), ...NO_STREAM })),
          },
          question: {
            path: at.rerank,
            title: "ranking of the documents",
            read: (body) => readRanking(body, call.body, ids),
          },
          signal,
        }),
    },
  } satisfies Readonly<Record<string, Exchange>>;
}

function imageQuestion(
  call: ProviderCall,
  signal: AbortSignal,
): Omit<ImageQuestion, "path" | "done"> {
  const fields = bodyFor(call);
  const sent = hasFiles(fields) ? formOf(fields) : { body: JSON.stringify(fields) };
  return { call, fields, sent, signal };
}

function hasFiles(fields: Readonly<JsonObject>): boolean {
  return Object.values(fields).flat().some((value) => value instanceof SpooledFile);
}
