/**
 * What a chat request needs of a route, and what its price depends on.
 *
 * @module
 */

import { promptSize } from "./prompt_size.ts";
import { asArray, asCount, asObject } from "../providers/json_value.ts";
import type { JsonObject } from "../providers/provider.ts";
import type { RequestFacts } from "../routing/route_request.ts";

/** The facts of a chat body of the given size. */
export function chatFacts(body: Readonly<JsonObject>, bodyBytes: number): RequestFacts {
  const images = findImages(body.messages);
  const bytes = bodyBytes - images.bytes;
  return {
    capability: "chat",
    stream: body.stream === true,
    tools: isFilled(body.tools) || isFilled(body.functions),
    vision: images.count > 0,
    jsonSchema: asObject(body.response_format)?.type === "json_schema",
    images: images.count,
    ...promptSize(bytes, images.count),
    maxOutputTokens: smaller(asCount(body.max_completion_tokens), asCount(body.max_tokens)),
    choices: asCount(body.n) ?? 1,
  };
}

/** Everything in a chat body that a model reads: message texts and tool descriptions. */
export function chatPromptText(body: Readonly<JsonObject>): string {
  const texts: string[] = [];
  if (Array.isArray(body.messages)) {
    for (const message of body.messages) collectMessage(asObject(message), texts);
  }
  if (isFilled(body.tools)) texts.push(JSON.stringify(body.tools));
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

function findImages(messages: unknown): { count: number; bytes: number } {
  let count = 0;
  let bytes = 0;
  for (const message of asArray(messages)) {
    for (const part of asArray(asObject(message)?.content)) {
      const image = asObject(part)?.image_url;
      if (image === undefined) continue;
      count++;
      const url = typeof image === "string" ? image : asObject(image)?.url;
      if (typeof url === "string") bytes += url.length;
    }
  }
  return { count, bytes };
}

/** Only one is sent, under the name that the upstream knows: it keeps to both. */
function smaller(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
