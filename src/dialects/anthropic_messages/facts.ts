/**
 * What a request for a message needs of a route, and what its price depends on.
 *
 * @module
 */

import { asArray, asCount, asObject, isObject, type JsonObject } from "../../domain/json_value.ts";
import type { RequestFacts } from "../../domain/request_facts.ts";
import type { PromptParts, SizedBody } from "../base/dialect.ts";
import {
  FETCHED_TOKENS,
  imageSize,
  mediaSize,
  NO_MEDIA,
  type PromptMedia,
  promptSize,
  withMedia,
} from "../base/prompt_size.ts";
import { newestSeal } from "./own_seal.ts";
import { isFetching, mostSearches, ownNeed } from "./own_needs.ts";
import { termsOf } from "./usage.ts";

/** The facts of a body. */
export function messagesFacts({ body, bodyBytes }: SizedBody, stream: boolean): RequestFacts {
  const { media } = look(body);
  const size = promptSize(bodyBytes, media);
  const fetches = isFetching(body);
  const searches = fetches ? mostSearches(body) : 0;
  return {
    capability: "messages",
    stream,
    tools: asArray(body.tools).length > 0,
    vision: media.images > 0,
    jsonSchema: formatOf(body)?.type === "json_schema",
    ...(media.images > 0 && { asked: { image: media.images } }),
    // How many it makes only the answer tells: nobody compares prices by them.
    ...(searches > 0 && { expected: { likely: {}, most: { search: searches } } }),
    isMedia: media.estimate > 0 || fetches,
    terms: termsOf(body),
    promptTokensEstimate: size.promptTokensEstimate,
    promptTokensBound: size.promptTokensBound + (fetches ? FETCHED_TOKENS : 0),
    maxOutputTokens: asCount(body.max_tokens),
    choices: 1,
    ownOnly: ownNeed(body),
    seal: newestSeal(body.messages),
  };
}

/** The form of the answer, by its newer name or its older one. */
export function formatOf(body: Readonly<JsonObject>): JsonObject | undefined {
  return asObject(asObject(body.output_config)?.format) ?? asObject(body.output_format);
}

/** What a model reads of a request: its texts, tool descriptions and other parts. */
export function messagesPrompt(body: Readonly<JsonObject>): PromptParts {
  const { texts, media } = look(body);
  if (asArray(body.tools).length > 0) texts.push(JSON.stringify(body.tools));
  return { texts: texts.filter((text) => text !== ""), otherTokens: media.estimate };
}

interface Seen {
  readonly texts: string[];
  media: PromptMedia;
}

function look(body: Readonly<JsonObject>): Seen {
  const seen: Seen = { texts: [], media: NO_MEDIA };
  lookAt(body.system, seen);
  for (const message of asArray(body.messages)) lookAt(asObject(message)?.content, seen);
  return seen;
}

function lookAt(content: unknown, seen: Seen): void {
  if (typeof content === "string") seen.texts.push(content);
  for (const block of asArray(content)) if (isObject(block)) lookAtBlock(block, seen);
}

function lookAtBlock(block: JsonObject, seen: Seen): void {
  const { text, thinking, input, content } = block;
  if (block.type === "image") {
    const { data, url } = asObject(block.source) ?? {};
    seen.media = withMedia(seen.media, imageSize(data ?? url));
    return;
  }
  if (block.type === "document") return lookAtDocument(asObject(block.source) ?? {}, seen);
  if (typeof text === "string") seen.texts.push(text);
  if (typeof thinking === "string") seen.texts.push(thinking);
  if (isObject(input)) seen.texts.push(JSON.stringify(input));
  if (content !== undefined) lookAt(content, seen);
}

function lookAtDocument(source: JsonObject, seen: Seen): void {
  const { type, data, content } = source;
  if (type === "text" && typeof data === "string") seen.texts.push(data);
  else if (type === "content") lookAt(content, seen);
  else seen.media = withMedia(seen.media, mediaSize({ type: "file", file: { file_data: data } }));
}
