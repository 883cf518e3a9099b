/**
 * What a request of the Responses API needs of a route, and what its price
 * depends on.
 *
 * @module
 */

import { asArray, asCount, asObject, isObject, type JsonObject } from "../../domain/json_value.ts";
import type { RequestFacts } from "../../domain/request_facts.ts";
import type { PromptParts, SizedBody } from "../base/dialect.ts";
import { asksForCompaction, SUMMARY_BYTES } from "./compaction.ts";
import { mostSearches, serverTools, toolLists, toolsOfItems } from "./listed_tools.ts";
import { unwrapThoughts } from "../base/wrapped_seal.ts";
import { tierOf } from "../openai/settings.ts";
import {
  FETCHED_TOKENS,
  imageSize,
  mediaSize,
  NO_MEDIA,
  type PromptMedia,
  promptSize,
  withMedia,
} from "../base/prompt_size.ts";

/** The facts of a body whose `input` is the whole conversation, as a list. */
export function responseFacts({ body, bodyBytes }: SizedBody, stream: boolean): RequestFacts {
  const media = responseMedia(body.input);
  const tools = serverTools(body);
  const isFetching = tools.length > 0;
  const searches = isFetching ? mostSearches(body) : 0;
  const needed = [...new Set([...tools, ...toolsOfItems(body)])];
  const more = asksForCompaction(body) ? SUMMARY_BYTES : 0;
  const size = promptSize(bodyBytes + more, media);
  return {
    capability: "responses",
    stream,
    tools: toolLists(body).some(({ value }) => asArray(value).length > 0),
    vision: media.images > 0,
    jsonSchema: asObject(asObject(body.text)?.format)?.type === "json_schema",
    ...(media.images > 0 && { asked: { image: media.images } }),
    // How many it makes only the answer tells: nobody compares prices by them.
    ...(searches > 0 && { expected: { likely: {}, most: { search: searches } } }),
    isMedia: media.estimate > 0 || isFetching,
    terms: tierOf(body),
    promptTokensEstimate: size.promptTokensEstimate,
    promptTokensBound: size.promptTokensBound + (isFetching ? FETCHED_TOKENS : 0),
    maxOutputTokens: asCount(body.max_output_tokens),
    choices: 1,
    ...newestSeal(body.input),
    ...(needed.length > 0 && { serverTools: needed }),
    ...(isFetching && { fetchedTokensBound: FETCHED_TOKENS }),
  };
}

/** What the newest thoughts that are given back are sealed with, where that was wrapped here. */
function newestSeal(input: unknown): Pick<RequestFacts, "seal"> {
  const items = asArray(input);
  for (let at = items.length - 1; at >= 0; at--) {
    const { type, encrypted_content: sealed } = asObject(items[at]) ?? {};
    if (type !== "reasoning" || typeof sealed !== "string") continue;
    const seal = unwrapThoughts(sealed)?.seal;
    return seal === undefined ? {} : { seal };
  }
  return {};
}

/** What a model reads: instructions, texts, calls and their outputs, tools, and parts that are no text. */
export function responsePrompt(body: Readonly<JsonObject>): PromptParts {
  return { texts: [promptText(body)], otherTokens: responseMedia(body.input).estimate };
}

function promptText(body: Readonly<JsonObject>): string {
  const texts: string[] = [];
  if (typeof body.instructions === "string") texts.push(body.instructions);
  for (const item of asArray(body.input)) collectItem(asObject(item) ?? {}, texts);
  for (const { value } of toolLists(body)) {
    if (asArray(value).length > 0) texts.push(JSON.stringify(value));
  }
  return texts.join("\n");
}

function collectItem(item: JsonObject, texts: string[]): void {
  for (const field of ["arguments", "input", "output", "content"]) {
    const value = item[field];
    if (typeof value === "string") texts.push(value);
    for (const part of asArray(value)) {
      const text = asObject(part)?.text;
      if (typeof text === "string") texts.push(text);
    }
  }
}

/** What of the items is no text. */
function responseMedia(input: unknown): PromptMedia {
  let media = NO_MEDIA;
  for (const one of asArray(input)) {
    const item = asObject(one);
    if (item === undefined) continue;
    for (const field of ["content", "output"]) {
      for (const part of asArray(item[field])) {
        if (isObject(part)) media = withMedia(media, mediaSize(part));
      }
    }
    const picture = pictureOf(item);
    if (picture !== undefined) media = withMedia(media, imageSize(picture));
  }
  return media;
}

/** The picture that an item itself is: one that was made, or of a screen. */
function pictureOf({ type, result, output }: JsonObject): unknown {
  if (type === "image_generation_call") return result ?? undefined;
  return type === "computer_call_output" ? asObject(output)?.image_url : undefined;
}
