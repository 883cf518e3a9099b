/**
 * Blocks of the neutral form as Bedrock takes them. None of them may be blank.
 *
 * @module
 */

import { asObject, type JsonObject } from "../../domain/json_value.ts";
import type { Block, CallBlock, FileBlock, ResultBlock, Source } from "../turns/blocks.ts";
import { parseInput } from "../turns/call_input.ts";
import { readDataUrl } from "../turns/data_url.ts";
import { NotCarried } from "../turns/refusals.ts";
import { CONVERSE, openSeal, takenId } from "./names.ts";

const IMAGE_FORMATS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/jpg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
};

const FILE_FORMATS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
};

/** What a block is there, and the mark behind it where it is to be cached. */
export function writeBlock(block: Block): readonly JsonObject[] {
  const written = blockOf(block);
  if (written === undefined) return [];
  const mark = asObject(block.extra?.fields.cache_control);
  if (mark === undefined) return [written];
  const ttl = mark.ttl === "1h" ? { ttl: "1h" } : {};
  return [written, { cachePoint: { type: "default", ...ttl } }];
}

function blockOf(block: Block): JsonObject | undefined {
  switch (block.type) {
    case "text":
    case "refusal":
      return block.text.trim() === "" ? undefined : { text: block.text };
    case "image": {
      const { media, bytes } = bytesOf(block.source, "an image");
      const format = IMAGE_FORMATS[media];
      if (format === undefined) throw new NotCarried(block.source.at, "an image of this type");
      return { image: { format, source: { bytes } } };
    }
    case "file":
      return fileOf(block);
    case "call":
      return callOf(block);
    case "result":
      return resultOf(block);
    case "reasoning": {
      const seal = block.seal?.of === CONVERSE ? openSeal(block.seal.value) : undefined;
      if (seal === undefined) return undefined;
      return seal.kind === "hidden"
        ? { reasoningContent: { redactedContent: seal.value } }
        : { reasoningContent: { reasoningText: { text: block.text, signature: seal.value } } };
    }
    case "audio":
      throw new NotCarried(`${block.at}.type`, "a sound");
    case "other":
      throw new NotCarried(`${block.at}.type`, block.what);
  }
}

function fileOf({ source, name = "document" }: FileBlock): JsonObject {
  const { media, bytes } = bytesOf(source, "a file");
  // Whatever else a name has is refused.
  const plain = name.replaceAll(/[^A-Za-z0-9()[\]-]+/g, " ").trim().slice(0, 200);
  return {
    document: {
      format: FILE_FORMATS[media] ?? "txt",
      name: plain === "" ? "document" : plain,
      source: { bytes },
    },
  };
}

function bytesOf(
  { by, value, at }: Source,
  what: string,
): { readonly media: string; readonly bytes: string } {
  const held = readDataUrl(value, at);
  if (by === "id" || (by === "url" && held === undefined)) {
    throw new NotCarried(at, `${what} by its ${by === "id" ? "id" : "URL"} (send it as data)`);
  }
  return { media: held?.media ?? "application/pdf", bytes: held?.base64 ?? value };
}

function callOf({ kind, id, name, input, at }: CallBlock): JsonObject {
  if (kind === "custom") throw new NotCarried(`${at}.type`, `a call of the custom tool '${name}'`);
  return { toolUse: { toolUseId: takenId(id), name, input: parseInput(input, at) } };
}

function resultOf({ id, content, isError }: ResultBlock): JsonObject {
  const written = content.flatMap(writeBlock).filter((one) => one.cachePoint === undefined);
  return {
    toolResult: {
      toolUseId: takenId(id),
      content: written.length > 0 ? written : [{ text: "(nothing)" }],
      ...(isError === true && { status: "error" }),
    },
  };
}
