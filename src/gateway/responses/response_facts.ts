/**
 * What a request of the Responses API needs of a route, and what its price
 * depends on.
 *
 * @module
 */

import { promptSize } from "../prompt_size.ts";
import { asArray, asCount, asObject } from "../../providers/json_value.ts";
import type { JsonObject } from "../../providers/provider.ts";
import type { RequestFacts } from "../../routing/route_request.ts";

/** The facts of a body whose `input` is the whole conversation, as a list. */
export function responseFacts(
  body: Readonly<JsonObject>,
  { bytes, stream }: { readonly bytes: number; readonly stream: boolean },
): RequestFacts {
  const images = findImages(body.input);
  const textBytes = Math.max(0, bytes - images.bytes);
  return {
    capability: "responses",
    stream,
    tools: Array.isArray(body.tools) && body.tools.length > 0,
    vision: images.count > 0,
    jsonSchema: asObject(asObject(body.text)?.format)?.type === "json_schema",
    images: images.count,
    ...promptSize(textBytes, images.count),
    maxOutputTokens: asCount(body.max_output_tokens),
    choices: 1,
    serverTool: serverToolOf(body.tools),
  };
}

/** Tools that a model calls and its caller answers: chat has them too. */
const CALLERS_TOOLS: ReadonlySet<unknown> = new Set(["function", "custom"]);

function serverToolOf(tools: unknown): string | undefined {
  const tool = asArray(tools).map(asObject).find((one) => !CALLERS_TOOLS.has(one?.type));
  return tool === undefined ? undefined : String(tool.type).slice(0, 60);
}

/** Everything in a body that a model reads: instructions, texts, calls and their outputs, tools. */
export function responsePromptText(body: Readonly<JsonObject>): string {
  const texts: string[] = [];
  if (typeof body.instructions === "string") texts.push(body.instructions);
  for (const item of asArray(body.input)) collectItem(asObject(item) ?? {}, texts);
  if (Array.isArray(body.tools) && body.tools.length > 0) texts.push(JSON.stringify(body.tools));
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

function findImages(input: unknown): { count: number; bytes: number } {
  let count = 0;
  let bytes = 0;
  for (const item of asArray(input)) {
    for (const field of ["content", "output"]) {
      for (const part of asArray(asObject(item)?.[field])) {
        const image = asObject(part);
        if (image?.type !== "input_image") continue;
        count++;
        if (typeof image.image_url === "string") bytes += image.image_url.length;
      }
    }
  }
  return { count, bytes };
}
