/**
 * Chat messages as turns.
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
import {
  type Block,
  type CallBlock,
  extraOf,
  type OtherBlock,
  type Turn,
} from "../turns/blocks.ts";
import { invalidField } from "../turns/refusals.ts";
import { OPENAI_CHAT } from "./schemas.ts";
import { thoughtsOf } from "./answer_reader.ts";
import { sealedThoughts } from "./thought_details.ts";

const MESSAGE_FIELDS = new Set(["role", "content"]);
const ASSISTANT_FIELDS = new Set([
  "role",
  "content",
  "refusal",
  "tool_calls",
  "function_call",
  "reasoning_content",
  "reasoning",
  "reasoning_details",
]);
const TOOL_FIELDS = new Set(["role", "content", "tool_call_id"]);
const FUNCTION_FIELDS = new Set(["role", "content", "name"]);
const CALL_FIELDS = new Set(["id", "type", "index", "function", "custom"]);
const TEXT_FIELDS = new Set(["type", "text"]);
const REFUSAL_FIELDS = new Set(["type", "refusal"]);
const IMAGE_FIELDS = new Set(["type", "image_url"]);
const FILE_FIELDS = new Set(["type", "file"]);
const AUDIO_FIELDS = new Set(["type", "input_audio"]);

/**
 * The turns of a conversation: each message is one.
 *
 * @throws {UpstreamError} `caller`, naming a message that is none.
 */
export function readMessages(messages: unknown): readonly Turn[] {
  if (!Array.isArray(messages)) {
    throw invalidField("messages", "Invalid value for 'messages': expected a list");
  }
  /** Ids of the calls that have none, by the function: the last one is the one that is answered. */
  const ids = new Map<unknown, string>();
  return messages.map((message, index) => readMessage(message, `messages[${index}]`, ids));
}

function readMessage(message: unknown, at: string, ids: Map<unknown, string>): Turn {
  if (!isObject(message)) {
    throw invalidField(at, `Invalid value for '${at}': expected an object`);
  }
  const { role } = message;
  switch (role) {
    case "system":
    case "developer":
    case "user": {
      const { extra } = extraOf(OPENAI_CHAT, message, MESSAGE_FIELDS);
      const fields = { ...extra?.fields, ...(role === "developer" && { role }) };
      return {
        role: role === "user" ? "user" : "system",
        blocks: readContent(message.content, `${at}.content`),
        at,
        ...(Object.keys(fields).length > 0 && { extra: { of: OPENAI_CHAT, fields } }),
      };
    }
    case "assistant":
      return {
        role,
        blocks: [...readAssistant(message, at), ...readFunctionCall(message, at, ids)],
        at,
        ...extraOf(OPENAI_CHAT, message, ASSISTANT_FIELDS),
      };
    case "tool":
      return {
        role: "user",
        blocks: [readResult(message, at, { field: "tool_call_id", known: TOOL_FIELDS })],
        at,
      };
    case "function": {
      const answered = { ...message, name: ids.get(message.name) };
      return {
        role: "user",
        blocks: [readResult(answered, at, { field: "name", known: FUNCTION_FIELDS })],
        at,
      };
    }
    default:
      throw invalidField(
        `${at}.role`,
        `Invalid value for '${at}.role': expected 'system', 'developer', 'user', 'assistant', 'tool' or 'function'`,
      );
  }
}

function readAssistant(message: JsonObject, at: string): readonly Block[] {
  const { content, refusal, tool_calls: calls } = message;
  const sealed = sealedThoughts(message, at);
  const thoughts = sealed.length > 0 ? "" : thoughtsOf(message);
  const said = content === null || content === undefined
    ? []
    : readContent(content, `${at}.content`);
  const blocks: Block[] = [...sealed];
  if (thoughts !== "") {
    blocks.push({ type: "reasoning", text: thoughts, at: `${at}.reasoning_content` });
  }
  blocks.push(...said);
  if (typeof refusal === "string" && refusal !== "") {
    blocks.push({ type: "refusal", text: refusal, at: `${at}.refusal` });
  }
  asArray(calls).forEach((call, index) =>
    blocks.push(readCall(call, `${at}.tool_calls[${index}]`))
  );
  return blocks;
}

function readCall(call: unknown, at: string): CallBlock {
  const { id, type, function: called, custom } = asObject(call) ?? {};
  const kind = type === "custom" ? "custom" : "function";
  const { name, arguments: given, input } = asObject(kind === "custom" ? custom : called) ?? {};
  const text = kind === "custom" ? input : given;
  if (typeof id !== "string" || typeof name !== "string" || typeof text !== "string") {
    throw invalidField(at, `Invalid value for '${at}': expected a tool call with an id and a name`);
  }
  const extra = extraOf(OPENAI_CHAT, call as JsonObject, CALL_FIELDS);
  return { type: "call", kind, id, name, input: text, at, ...extra };
}

/** The older spelling: one call, without an id. */
function readFunctionCall(
  { function_call: called }: JsonObject,
  at: string,
  ids: Map<unknown, string>,
): readonly CallBlock[] {
  if (called === null || called === undefined) return [];
  const id = `call_fn_${at.replace(/\D/g, "")}`;
  const block = readCall({ id, type: "function", function: called }, `${at}.function_call`);
  ids.set(block.name, id);
  return [block];
}

/** @param field Where the id of the call is. */
function readResult(
  message: JsonObject,
  at: string,
  { field, known }: { readonly field: string; readonly known: ReadonlySet<string> },
): Block {
  const id = nonEmptyString(message[field]);
  if (id === undefined) {
    const why = field === "name"
      ? `Invalid value for '${at}.name': no call of that function comes before it`
      : `Missing required parameter: '${at}.${field}'`;
    throw invalidField(`${at}.${field}`, why);
  }
  return {
    type: "result",
    kind: "function",
    id,
    content: readContent(message.content, `${at}.content`),
    at,
    ...extraOf(OPENAI_CHAT, message, known),
  };
}

function readContent(content: unknown, at: string): readonly Block[] {
  if (typeof content === "string") {
    return content === "" ? [] : [{ type: "text", text: content, at }];
  }
  if (content === null || content === undefined) return [];
  if (!Array.isArray(content) || !content.every(isObject)) {
    throw invalidField(at, `Invalid value for '${at}': expected a string or a list of parts`);
  }
  return content.map((part, index) => readPart(part, `${at}[${index}]`));
}

/** A part that is not as chat has it is one that only chat's upstream can judge. */
function readPart(part: JsonObject, at: string): Block {
  const { text, refusal } = part;
  const image = asObject(part.image_url);
  const file = asObject(part.file);
  const audio = asObject(part.input_audio);
  if (part.type === "text" && typeof text === "string") {
    return { type: "text", text, at, ...extraOf(OPENAI_CHAT, part, TEXT_FIELDS) };
  }
  if (part.type === "refusal" && typeof refusal === "string") {
    return { type: "refusal", text: refusal, at, ...extraOf(OPENAI_CHAT, part, REFUSAL_FIELDS) };
  }
  if (part.type === "image_url" && typeof image?.url === "string") {
    const detail = nonEmptyString(image.detail);
    return {
      type: "image",
      source: { by: "url", value: image.url, at: `${at}.image_url.url` },
      ...(detail !== undefined && { detail }),
      at,
      ...extraOf(OPENAI_CHAT, part, IMAGE_FIELDS),
    };
  }
  if (part.type === "file" && typeof file?.file_data === "string") {
    const name = nonEmptyString(file.filename);
    return {
      type: "file",
      source: { by: "data", value: file.file_data, at: `${at}.file.file_data` },
      ...(name !== undefined && { name }),
      at,
      ...extraOf(OPENAI_CHAT, part, FILE_FIELDS),
    };
  }
  if (part.type === "input_audio" && typeof audio?.data === "string") {
    const format = nonEmptyString(audio.format);
    return {
      type: "audio",
      data: audio.data,
      ...(format !== undefined && { format }),
      at,
      ...extraOf(OPENAI_CHAT, part, AUDIO_FIELDS),
    };
  }
  return otherPart(part, at);
}

function otherPart(value: JsonObject, at: string): OtherBlock {
  const type = typeof value.type === "string" ? value.type.slice(0, 64) : typeof value.type;
  return { type: "other", of: OPENAI_CHAT, value, at, what: `a content part of type '${type}'` };
}
