/**
 * Blocks as contents of chat messages.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import { type Block, type FileBlock, type ImageBlock, ownExtra } from "../turns/blocks.ts";
import { OPENAI } from "../openai/family.ts";
import { NotCarried } from "../turns/refusals.ts";
import { OPENAI_CHAT } from "./schemas.ts";

/**
 * A user's content: a string where there is nothing but one text, because many
 * servers take no parts, else chat's parts.
 *
 * @throws {NotCarried} Naming the block that chat does not have.
 */
export function userContent(blocks: readonly Block[]): string | readonly JsonObject[] {
  const parts = blocks.map((block) => ({
    ...partOf(block),
    ...ownExtra(OPENAI_CHAT, block.extra),
  }));
  const [only] = parts;
  if (only === undefined) return "";
  const isPlain = parts.length === 1 && only.type === "text" && Object.keys(only).length === 2;
  return isPlain ? only.text as string : parts;
}

/**
 * Content of which chat takes nothing but text (assistant, system, a tool's
 * output): blocks joined, a refusal as the words that it is.
 *
 * @param joint What stands between two blocks.
 * @throws {NotCarried} Naming the block that is no text.
 */
export function textContent(blocks: readonly Block[], joint: string): string {
  return blocks.map((block) => {
    if (block.type === "text" || block.type === "refusal") return block.text;
    throw new NotCarried(`${block.at}.type`, `${nameOf(block)} where chat takes only text`);
  }).join(joint);
}

function partOf(block: Block): JsonObject {
  switch (block.type) {
    case "text":
    case "refusal":
      return { type: "text", text: block.text };
    case "image":
      return imagePart(block);
    case "file":
      return filePart(block);
    case "audio": {
      const { data, format, extra } = block;
      return {
        type: "input_audio",
        input_audio: {
          data,
          ...(format !== undefined && { format }),
          ...ownExtra(OPENAI.name, extra),
        },
      };
    }
    default:
      throw new NotCarried(`${block.at}.type`, nameOf(block));
  }
}

function imagePart({ source: { by, value, at }, detail }: ImageBlock): JsonObject {
  if (by === "id") {
    throw new NotCarried(at, "an image by 'file_id' (send it as a URL or as data)");
  }
  // Chat knows no "original"; "auto" is what it does unasked.
  const chatDetail = detail === "original" ? "high" : detail === "auto" ? undefined : detail;
  return {
    type: "image_url",
    image_url: { url: value, ...(chatDetail !== undefined && { detail: chatDetail }) },
  };
}

function filePart({ source: { by, value, at }, name }: FileBlock): JsonObject {
  if (by !== "data") {
    const field = by === "id" ? "file_id" : "file_url";
    throw new NotCarried(at, `a file by '${field}' (send it as 'file_data')`);
  }
  return {
    type: "file",
    file: { ...(name !== undefined && { filename: name }), file_data: value },
  };
}

const NAMES: { readonly [type in Block["type"]]: string } = {
  text: "a text",
  refusal: "a refusal",
  image: "an image",
  file: "a file",
  audio: "a sound",
  call: "a tool call",
  result: "a tool's output",
  reasoning: "reasoning",
  other: "that",
};

function nameOf(block: Block): string {
  return block.type === "other" ? block.what : NAMES[block.type];
}
