/**
 * Blocks of the neutral form as an upstream of this dialect takes them.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { JsonObject } from "../../domain/json_value.ts";
import { type Block, type CallBlock, ownExtra, type Source } from "../turns/blocks.ts";
import { parseInput } from "../turns/call_input.ts";
import { readDataUrl } from "../turns/data_url.ts";
import { NotCarried } from "../turns/refusals.ts";
import { sealedBlock } from "./own_seal.ts";
import { ANTHROPIC_MESSAGES } from "./schemas.ts";
import { wrapId } from "./tool_names.ts";

/** What a block is there; nothing of what may not be there, such as an empty text. */
export function writeBlock(block: Block): readonly JsonObject[] {
  const written = blockOf(block);
  if (written === undefined) return [];
  // Callers of other dialects mark what is to be cached in the same way.
  const mark = block.extra?.fields.cache_control;
  return [{
    ...written,
    ...(mark !== undefined && { cache_control: mark }),
    ...ownExtra(ANTHROPIC_MESSAGES, block.extra),
  }];
}

function blockOf(block: Block): JsonObject | undefined {
  switch (block.type) {
    case "text":
    case "refusal":
      return block.text.trim() === "" ? undefined : { type: "text", text: block.text };
    case "image":
      return { type: "image", source: sourceOf(block.source) };
    case "file": {
      const { source, name } = block;
      return {
        type: "document",
        source: fileSource(source),
        ...(name !== undefined && { title: name }),
      };
    }
    case "call":
      return callOf(block);
    case "result": {
      const content = block.content.flatMap(writeBlock);
      return {
        type: "tool_result",
        tool_use_id: wrapId(block.id),
        ...(content.length > 0 && { content }),
        ...(block.isError === true && { is_error: true }),
      };
    }
    case "reasoning": {
      // Nobody else's thoughts are taken there.
      return sealedBlock(block.text, block.seal);
    }
    case "audio":
      throw new NotCarried(`${block.at}.type`, "a sound");
    case "other":
      if (block.of === ANTHROPIC_MESSAGES) return block.value;
      throw new NotCarried(`${block.at}.type`, block.what);
  }
}

function callOf({ kind, id, name, input, at }: CallBlock): JsonObject {
  if (kind === "custom") throw new NotCarried(`${at}.type`, `a call of the custom tool '${name}'`);
  return { type: "tool_use", id: wrapId(id), name, input: parseInput(input, at) };
}

function sourceOf({ by, value, at }: Source): JsonObject {
  if (by === "id") throw new NotCarried(at, "an image by 'file_id' (send it as a URL or as data)");
  const held = readDataUrl(value, at);
  return held === undefined
    ? { type: "url", url: value }
    : { type: "base64", media_type: held.media ?? "image/jpeg", data: held.base64 };
}

function fileSource({ by, value, at }: Source): JsonObject {
  if (by === "id") throw new NotCarried(at, "a file by 'file_id' (send it as 'file_data')");
  if (by === "url") return { type: "url", url: value };
  const { media = "application/pdf", base64 = value } = readDataUrl(value, at) ?? {};
  if (!media.startsWith("text/")) return { type: "base64", media_type: media, data: base64 };
  const text = Buffer.from(base64, "base64").toString();
  return { type: "text", media_type: "text/plain", data: text };
}
