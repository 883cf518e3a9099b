/**
 * Blocks as the parts of a content.
 *
 * @module
 */

import { asObject, type JsonObject } from "../../domain/json_value.ts";
import type { AudioBlock, Block, CallBlock, ResultBlock, Source } from "../turns/blocks.ts";
import { parseInput } from "../turns/call_input.ts";
import { readDataUrl } from "../turns/data_url.ts";
import { invalidField, NotCarried } from "../turns/refusals.ts";
import { signatureOf } from "../openai/call_signatures.ts";
import { GEMINI } from "./names.ts";

/** Media types by the endings of names and addresses. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["webp", "image/webp"],
  ["gif", "image/gif"],
  ["heic", "image/heic"],
  ["heif", "image/heif"],
  ["pdf", "application/pdf"],
  ["txt", "text/plain"],
  ["md", "text/plain"],
  ["csv", "text/csv"],
  ["html", "text/html"],
  ["json", "application/json"],
  ["mp3", "audio/mp3"],
  ["wav", "audio/wav"],
  ["mp4", "video/mp4"],
]);

/** What the parts of a conversation are written with. */
export interface PartOptions {
  /** Whether what a tool gave may have pictures and files in it. */
  readonly richResults: boolean;
  /** Names of the functions that were called, by the calls' ids. */
  readonly names: Map<string, string>;
}

/**
 * The parts of one side's blocks, in their order. The thoughts themselves are not given back, but the
 * signature that stands with them goes to the call that follows.
 *
 * @throws {NotCarried} Naming what the dialect has not.
 * @throws {UpstreamError} `caller`, where a call's arguments are no JSON object, or an output has no call.
 */
export function writeParts(blocks: readonly Block[], options: PartOptions): readonly JsonObject[] {
  const parts: JsonObject[] = [];
  let signature: string | undefined;
  for (const block of blocks) {
    if (block.type === "reasoning") {
      if (block.seal?.of === GEMINI) signature = block.seal.value;
    } else if (block.type === "call") {
      parts.push(callPart(block, signatureOf(block.extra?.fields ?? {}) ?? signature, options));
      signature = undefined;
    } else if (block.type === "result") parts.push(...resultParts(block, options));
    else {
      const part = partOf(block);
      if (part !== undefined) parts.push(part);
    }
  }
  return parts;
}

function partOf(block: Exclude<Block, { readonly type: "reasoning" | "call" | "result" }>) {
  switch (block.type) {
    case "text":
    case "refusal":
      return block.text === "" ? undefined : { text: block.text };
    case "image":
      return sourcePart(block.source, "image/jpeg");
    case "file":
      return sourcePart(block.source, typeOfName(block.name) ?? "application/pdf");
    case "audio":
      return soundPart(block);
    case "other":
      throw new NotCarried(`${block.at}.type`, block.what);
  }
}

/** @param usual The media type where nothing tells it. */
function sourcePart({ by, value, at }: Source, usual: string): JsonObject {
  const held = readDataUrl(value, at);
  if (held !== undefined) {
    return { inlineData: { mimeType: held.media ?? usual, data: held.base64 } };
  }
  // Files that the vendor keeps have addresses for names.
  if (by === "url" || /^(?:https|gs):\/\//.test(value)) {
    return { fileData: { mimeType: typeOfName(value) ?? usual, fileUri: value } };
  }
  if (by === "id") throw new NotCarried(at, "a file by 'file_id' (send it as data)");
  return { inlineData: { mimeType: usual, data: value } };
}

function typeOfName(name: string | undefined): string | undefined {
  const ending = /\.([a-z0-9]{2,5})(?:[?#]|$)/i.exec(name ?? "")?.[1];
  return ending === undefined ? undefined : TYPES.get(ending.toLowerCase());
}

function soundPart({ data, format = "wav" }: AudioBlock): JsonObject {
  return { inlineData: { mimeType: `audio/${format}`, data } };
}

function callPart(
  { kind, id, name, input, at }: CallBlock,
  thoughtSignature: string | undefined,
  { names }: PartOptions,
): JsonObject {
  if (kind === "custom") throw new NotCarried(`${at}.type`, `a call of the custom tool '${name}'`);
  names.set(id, name);
  return {
    functionCall: { id, name, args: parseInput(input, at) },
    ...(thoughtSignature !== undefined && { thoughtSignature }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** A result names its function, of which callers tell only the call's id. */
function resultParts(
  { id, content, isError, at }: ResultBlock,
  { names, richResults }: PartOptions,
): readonly JsonObject[] {
  const name = names.get(id);
  if (name === undefined) {
    throw invalidField(
      at,
      `Invalid value for '${at}': no call before it has the id '${id.slice(0, 64)}'`,
    );
  }
  const texts: string[] = [];
  const shown: JsonObject[] = [];
  for (const block of content) {
    if (block.type === "text" || block.type === "refusal") texts.push(block.text);
    else shown.push(...writeParts([block], { names, richResults }));
  }
  const functionResponse = { id, name, response: responseOf(texts.join("\n"), isError === true) };
  if (shown.length === 0) return [{ functionResponse }];
  return richResults
    ? [{ functionResponse: { ...functionResponse, parts: shown } }]
    : [{ functionResponse }, ...shown];
}

/** An object as it is; anything else under the names that the documentation has for it. */
function responseOf(text: string, isError: boolean): JsonObject {
  if (isError) return { error: text };
  const value = text.trimStart().startsWith("{") ? asObject(parsed(text)) : undefined;
  return value ?? { output: text };
}
