/**
 * What a moderation request needs of a route, and what its price depends on.
 *
 * @module
 */

import { asArray, isObject, type JsonObject } from "../../domain/json_value.ts";
import type { RequestFacts } from "../../domain/request_facts.ts";
import type { PromptParts, SizedBody } from "../base/dialect.ts";
import {
  mediaSize,
  NO_MEDIA,
  type PromptMedia,
  promptSize,
  withMedia,
} from "../base/prompt_size.ts";

/** The facts of a moderation's body. */
export function moderationFacts({ body, bodyBytes }: SizedBody): RequestFacts {
  const media = mediaOf(body);
  return {
    capability: "moderations",
    stream: false,
    tools: false,
    vision: media.images > 0,
    jsonSchema: false,
    ...(media.images > 0 && { asked: { image: media.images }, isMedia: true }),
    ...promptSize(bodyBytes, media),
    maxOutputTokens: undefined,
    choices: 1,
  };
}

/** What a model reads of it. */
export function moderationPrompt(body: Readonly<JsonObject>): PromptParts {
  const { input } = body;
  const given = typeof input === "string" ? [input] : asArray(input);
  const texts = given.map((one) => isObject(one) ? one.text : one).filter((text) =>
    typeof text === "string" && text !== ""
  );
  return { texts: texts as string[], otherTokens: mediaOf(body).estimate };
}

function mediaOf({ input }: Readonly<JsonObject>): PromptMedia {
  let media = NO_MEDIA;
  for (const one of asArray(input)) {
    if (isObject(one)) media = withMedia(media, mediaSize(one));
  }
  return media;
}
