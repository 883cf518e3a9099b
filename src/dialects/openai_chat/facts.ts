/**
 * What a chat request needs of a route, and what its price depends on.
 *
 * @module
 */

import { asArray, asCount, asObject, isObject, type JsonObject } from "../../domain/json_value.ts";
import type { RequestFacts } from "../../domain/request_facts.ts";
import type { PromptParts, SizedBody } from "../base/dialect.ts";
import { lastSignature } from "../openai/call_signatures.ts";
import { tierOf } from "../openai/settings.ts";
import {
  FETCHED_TOKENS,
  mediaSize,
  NO_MEDIA,
  type PromptMedia,
  promptSize,
  withMedia,
} from "../base/prompt_size.ts";

import { ownNeed } from "./own_needs.ts";
import { mostSearches } from "./searches.ts";
import { newestSeal } from "./thought_details.ts";

/** The facts of a chat body. */
export function chatFacts({ body, bodyBytes }: SizedBody, stream: boolean): RequestFacts {
  const media = chatMedia(body.messages);
  const size = promptSize(bodyBytes, media);
  const searches = mostSearches(body);
  return {
    capability: "chat",
    stream,
    tools: isFilled(body.tools) || isFilled(body.functions),
    vision: media.images > 0,
    jsonSchema: asObject(body.response_format)?.type === "json_schema",
    asked: media.images > 0 ? { image: media.images } : undefined,
    isMedia: media.estimate > 0 || searches > 0 ||
      asArray(body.modalities).some((one) => one !== "text"),
    terms: tierOf(body),
    ...size,
    ...(searches > 0 && {
      // How many it makes only the answer tells: nobody compares prices by them.
      expected: { likely: {}, most: { search: searches } },
      promptTokensBound: size.promptTokensBound + FETCHED_TOKENS,
    }),
    maxOutputTokens: smaller(asCount(body.max_completion_tokens), asCount(body.max_tokens)),
    choices: asCount(body.n) ?? 1,
    ownOnly: ownNeed(body),
    seal: newestSeal(body.messages) ?? lastSignature(body.messages),
  };
}

/** What a model reads of a chat: its texts, tool descriptions and other parts. */
export function chatPrompt(body: Readonly<JsonObject>): PromptParts {
  return { texts: [promptText(body)], otherTokens: chatMedia(body.messages).estimate };
}

function promptText(body: Readonly<JsonObject>): string {
  const texts: string[] = [];
  if (Array.isArray(body.messages)) {
    for (const message of body.messages) collectMessage(asObject(message), texts);
  }
  for (const tools of [body.tools, body.functions]) {
    if (isFilled(tools)) texts.push(JSON.stringify(tools));
  }
  return texts.join("\n");
}

function collectMessage(message: JsonObject | undefined, texts: string[]): void {
  if (message === undefined) return;
  if (typeof message.content === "string") texts.push(message.content);
  for (const part of asArray(message.content)) {
    const text = asObject(part)?.text;
    if (typeof text === "string") texts.push(text);
  }
  if (isFilled(message.tool_calls)) texts.push(JSON.stringify(message.tool_calls));
}

/** What of the messages is no text. */
function chatMedia(messages: unknown): PromptMedia {
  let media = NO_MEDIA;
  for (const message of asArray(messages)) {
    for (const part of asArray(asObject(message)?.content)) {
      if (isObject(part)) media = withMedia(media, mediaSize(part));
    }
  }
  return media;
}

/** Only one is sent, under the name that the upstream knows: it keeps to both. */
function smaller(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
