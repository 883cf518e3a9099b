/**
 * Contents of items as blocks.
 *
 * @module
 */

import { isObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import { OPENAI } from "../openai/family.ts";
import { type Block, extraOf, type OtherBlock, type Source } from "../turns/blocks.ts";
import { invalidField } from "../turns/refusals.ts";
import { OPENAI_RESPONSES } from "./schemas.ts";

/** Base64 as encoders write it: either alphabet, padding, line breaks, percent-encoding. */
const BASE64 = /^[A-Za-z0-9+/_\-=%\s]*$/;

const TEXT_FIELDS = new Set(["type", "text"]);
const REFUSAL_FIELDS = new Set(["type", "refusal"]);
const IMAGE_FIELDS = new Set(["type", "image_url", "file_id", "detail"]);
const FILE_FIELDS = new Set(["type", "filename", "file_data", "file_url", "file_id"]);
const SOUND_FIELDS = new Set(["data", "format"]);

/**
 * The blocks of a text or of a list of parts.
 *
 * @param at Where it stands, such as `input[0].content`.
 * @throws {UpstreamError} `caller`
 */
export function readContent(content: unknown, at: string): readonly Block[] {
  if (typeof content === "string") return [{ type: "text", text: content, at }];
  if (!Array.isArray(content) || !content.every(isObject)) {
    throw invalidField(at, `Invalid value for '${at}': expected a string or a list of parts`);
  }
  return content.map((part, index) => readPart(part, `${at}[${index}]`));
}

/**
 * A string that has to be there.
 *
 * @throws {UpstreamError} `caller`
 */
export function stringOf(value: unknown, param: string): string {
  if (typeof value === "string") return value;
  throw invalidField(param, `Invalid value for '${param}': expected a string`);
}

/** What only the Responses API has, named by its type. */
export function otherBlock(value: JsonObject, at: string, what: string): OtherBlock {
  return { type: "other", of: OPENAI_RESPONSES, value, at, what };
}

/** A type as it is told to its caller. */
export function shownType(type: unknown): string {
  return typeof type === "string" ? type.slice(0, 64) : typeof type;
}

/** Whether a field is there. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function readPart(part: JsonObject, at: string): Block {
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text": {
      const text = stringOf(part.text, `${at}.text`);
      return { type: "text", text, at, ...extraOf(OPENAI_RESPONSES, part, TEXT_FIELDS) };
    }
    case "refusal": {
      const text = stringOf(part.refusal, `${at}.refusal`);
      return { type: "refusal", text, at, ...extraOf(OPENAI_RESPONSES, part, REFUSAL_FIELDS) };
    }
    case "input_image":
      return readImage(part, at);
    case "input_file":
      return readFile(part, at);
    case "input_audio":
      return readAudio(part, at);
    default:
      return otherBlock(part, at, `a content part of type '${shownType(part.type)}'`);
  }
}

function readImage(part: JsonObject, at: string): Block {
  const source = sourceOf(part, at, [["file_id", "id"], ["image_url", "url"]]);
  const detail = nonEmptyString(part.detail);
  return {
    type: "image",
    source,
    ...(detail !== undefined && { detail }),
    at,
    ...extraOf(OPENAI_RESPONSES, part, IMAGE_FIELDS),
  };
}

function readFile(part: JsonObject, at: string): Block {
  const source = sourceOf(part, at, [["file_id", "id"], ["file_url", "url"], [
    "file_data",
    "data",
  ]]);
  const name = nonEmptyString(part.filename);
  return {
    type: "file",
    source,
    ...(name !== undefined && { name }),
    at,
    ...extraOf(OPENAI_RESPONSES, part, FILE_FIELDS),
  };
}

function readAudio(part: JsonObject, at: string): Block {
  const audio = part.input_audio;
  const field = `${at}.input_audio`;
  if (!isObject(audio)) {
    throw invalidField(field, `Invalid value for '${field}': expected an object`);
  }
  const format = nonEmptyString(audio.format);
  return {
    type: "audio",
    data: stringOf(audio.data, `${field}.data`),
    ...(format !== undefined && { format }),
    at,
    // Chat has the same object.
    ...extraOf(OPENAI.name, audio, SOUND_FIELDS),
  };
}

/** The first of the fields that is given; the last one has to be. */
function sourceOf(
  part: JsonObject,
  at: string,
  fields: readonly (readonly [field: string, by: Source["by"]])[],
): Source {
  const [field, by] = fields.find(([name]) => isGiven(part[name])) ?? fields.at(-1)!;
  const place = `${at}.${field}`;
  const value = part[field];
  return { by, value: by === "id" ? String(value) : dataOf(value, place), at: place };
}

/** A URL or a data URL, whose base64 is looked at: an upstream's word for it would be a riddle. */
function dataOf(value: unknown, param: string): string {
  const text = nonEmptyString(value);
  if (text === undefined) {
    throw invalidField(param, `Invalid value for '${param}': expected a string that is not empty`);
  }
  const [, encoded] = /^data:[^,]*;base64,(.*)$/is.exec(text) ?? [];
  if (encoded !== undefined && !BASE64.test(encoded)) {
    throw invalidField(param, `Invalid value for '${param}': its data is not base64`);
  }
  return text;
}
