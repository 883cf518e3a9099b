/**
 * Content blocks of messages in the neutral form.
 *
 * @module
 */

import {
  asArray,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../domain/json_value.ts";
import { type Block, extraOf, type OtherBlock, type Source } from "../turns/blocks.ts";
import { isOwnSeal } from "../turns/own_seal.ts";
import { unwrapSeal } from "../turns/thought_seals.ts";
import { invalidField } from "../turns/refusals.ts";
import { ANTHROPIC_MESSAGES } from "./schemas.ts";
import { sealOfBlock } from "./own_seal.ts";
import { changeInWords } from "./tool_changes.ts";
import { shortName, unwrapId } from "./tool_names.ts";

const TEXT_FIELDS = new Set(["type", "text"]);
const SOURCE_FIELDS = new Set(["type", "source", "title", "context", "citations"]);
const CALL_FIELDS = new Set(["type", "id", "name", "input"]);
const RESULT_FIELDS = new Set(["type", "tool_use_id", "content", "is_error"]);

/**
 * The blocks of a content, a text or a list; texts without words are none.
 *
 * @throws {UpstreamError} `caller`, naming what is no content.
 */
export function readContent(content: unknown, at: string): readonly Block[] {
  if (typeof content === "string") return textBlock(content, at);
  if (content === null || content === undefined) return [];
  if (!Array.isArray(content) || !content.every(isObject)) {
    throw invalidField(at, `Invalid value for '${at}': expected a string or a list of blocks`);
  }
  return content.flatMap((block, index) => readBlock(block, `${at}[${index}]`));
}

function readBlock(block: JsonObject, at: string): readonly Block[] {
  switch (block.type) {
    case "text":
      if (typeof block.text !== "string") break;
      return textBlock(block.text, at, extraOf(ANTHROPIC_MESSAGES, block, TEXT_FIELDS));
    case "image": {
      const source = sourceOf(block, at);
      if (source === undefined) break;
      const extra = extraOf(ANTHROPIC_MESSAGES, block, SOURCE_FIELDS);
      return [{ type: "image", source, at, ...extra }];
    }
    case "document":
      return readDocument(block, at);
    case "search_result": {
      const { title, source, content } = block;
      return [
        ...textBlock(`${String(title)} (${String(source)}):`, at),
        ...readContent(content, `${at}.content`),
      ];
    }
    case "tool_use":
      return [readCall(block, at)];
    case "tool_result": {
      const id = nonEmptyString(block.tool_use_id);
      if (id === undefined) throw missing(`${at}.tool_use_id`);
      return [{
        type: "result",
        kind: "function",
        id: unwrapId(id),
        content: readContent(block.content, `${at}.content`),
        ...(block.is_error === true && { isError: true }),
        at,
        ...extraOf(ANTHROPIC_MESSAGES, block, RESULT_FIELDS),
      }];
    }
    case "thinking": {
      const { thinking, signature } = block;
      const text = typeof thinking === "string" ? thinking : "";
      // Thoughts that another upstream had, and of which clients think that they are sealed.
      if (isOwnSeal(signature)) {
        const seal = unwrapSeal(signature);
        return [{ type: "reasoning", text, ...(seal !== undefined && { seal }), at }];
      }
      const seal = sealOfBlock(block);
      return [{ type: "reasoning", text, ...(seal !== undefined && { seal }), at }];
    }
    case "tool_reference":
    case "tool_addition":
    case "tool_removal": {
      const words = changeInWords(block);
      if (words === undefined) break;
      return textBlock(words, at);
    }
    case "redacted_thinking": {
      const seal = sealOfBlock(block);
      return seal === undefined ? [] : [{ type: "reasoning", text: "", seal, at }];
    }
  }
  return [otherBlock(block, at)];
}

function textBlock(text: string, at: string, extra: object = {}): readonly Block[] {
  return text.trim() === "" ? [] : [{ type: "text", text, at, ...extra }];
}

function readCall(block: JsonObject, at: string): Block {
  const { id, name, input } = block;
  if (typeof id !== "string" || id === "") throw missing(`${at}.id`);
  if (typeof name !== "string" || name === "") throw missing(`${at}.name`);
  return {
    type: "call",
    kind: "function",
    id: unwrapId(id),
    name: shortName(name),
    input: JSON.stringify(input ?? {}),
    at,
    ...extraOf(ANTHROPIC_MESSAGES, block, CALL_FIELDS),
  };
}

function readDocument(block: JsonObject, at: string): readonly Block[] {
  const { type, data, content } = asObject(block.source) ?? {};
  const title = nonEmptyString(block.title);
  const head = title === undefined ? [] : textBlock(`${title}:`, at);
  if (type === "text" && typeof data === "string") return [...head, ...textBlock(data, at)];
  if (type === "content") return [...head, ...readContent(content, `${at}.source.content`)];
  const source = sourceOf(block, at);
  return source === undefined
    ? [otherBlock(block, at)]
    : [{ type: "file", source, name: title ?? "document.pdf", at }];
}

function sourceOf(block: JsonObject, at: string): Source | undefined {
  const { type, media_type: media, data, url, file_id: id } = asObject(block.source) ?? {};
  if (type === "base64" && typeof data === "string") {
    const value = `data:${String(media)};base64,${data}`;
    return { by: block.type === "image" ? "url" : "data", value, at: `${at}.source` };
  }
  if (type === "url" && typeof url === "string") {
    return { by: "url", value: url, at: `${at}.source.url` };
  }
  if (type === "file" && typeof id === "string") {
    return { by: "id", value: id, at: `${at}.source.file_id` };
  }
  return undefined;
}

/** What only this dialect has. */
function otherBlock(value: JsonObject, at: string): OtherBlock {
  const type = typeof value.type === "string" ? value.type.slice(0, 64) : typeof value.type;
  const what = `a content block of type '${type}'`;
  const tool = toolOf(value);
  return { type: "other", of: ANTHROPIC_MESSAGES, value, at, what, ...(tool && { tool }) };
}

/** The tool of Anthropic's that a block tells of. */
function toolOf({ type, name }: JsonObject): string | undefined {
  if (typeof type !== "string") return undefined;
  if (type === "server_tool_use") return nonEmptyString(name)?.slice(0, 64);
  return /^(.{1,64})_tool_result$/.exec(type)?.[1];
}

function missing(param: string) {
  return invalidField(param, `Missing required parameter: '${param}'`);
}

/** Texts alone, such as of instructions. */
export function readTexts(content: unknown, at: string) {
  const blocks = typeof content === "string" ? content : asArray(content);
  return readContent(blocks, at).filter((block) => block.type === "text");
}
