/**
 * Contents of Responses items as contents of chat messages.
 *
 * @module
 */

import { isObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import { invalidField, notInChat } from "./caller_error.ts";

/** Base64 as encoders write it: either alphabet, padding, line breaks, percent-encoding. */
const BASE64 = /^[A-Za-z0-9+/_\-=%\s]*$/;

/**
 * A user's content: a string where there is nothing but one text, because many
 * servers take no parts, else chat's parts.
 *
 * @param param Where it stands, such as `input[0].content`.
 * @throws {UpstreamError} `caller`, naming the part that chat does not have.
 */
export function userContent(content: unknown, param: string): string | readonly JsonObject[] {
  if (typeof content === "string") return content;
  const parts = partsOf(content, param).map((part, at) => chatPart(part, `${param}[${at}]`));
  const [only] = parts;
  if (only === undefined) return "";
  return parts.length === 1 && only.type === "text" ? only.text as string : parts;
}

/**
 * Content of which chat takes nothing but text (assistant, system, a tool's
 * output): parts joined, a refusal as the words that it is.
 *
 * @param joint What stands between two parts.
 * @throws {UpstreamError} `caller`, naming the part that is no text.
 */
export function textContent(
  content: unknown,
  { param, joint }: { readonly param: string; readonly joint: string },
): string {
  if (typeof content === "string") return content;
  return partsOf(content, param).map((part, at) => {
    const place = `${param}[${at}]`;
    switch (part.type) {
      case "input_text":
      case "output_text":
      case "text":
        return stringOf(part.text, `${place}.text`);
      case "refusal":
        return stringOf(part.refusal, `${place}.refusal`);
      default:
        throw notInChat(`${place}.type`, `${nameOf(part.type)} where chat takes only text`);
    }
  }).join(joint);
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

function partsOf(content: unknown, param: string): readonly JsonObject[] {
  if (Array.isArray(content) && content.every(isObject)) return content;
  throw invalidField(param, `Invalid value for '${param}': expected a string or a list of parts`);
}

function chatPart(part: JsonObject, param: string): JsonObject {
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text":
      return { type: "text", text: stringOf(part.text, `${param}.text`) };
    case "refusal":
      return { type: "text", text: stringOf(part.refusal, `${param}.refusal`) };
    case "input_image":
      return imagePart(part, param);
    case "input_file":
      return filePart(part, param);
    case "input_audio":
      if (!isObject(part.input_audio)) {
        const field = `${param}.input_audio`;
        throw invalidField(field, `Invalid value for '${field}': expected an object`);
      }
      return { type: "input_audio", input_audio: part.input_audio };
    default:
      throw notInChat(`${param}.type`, nameOf(part.type));
  }
}

function imagePart(part: JsonObject, param: string): JsonObject {
  if (isGiven(part.file_id)) {
    throw notInChat(`${param}.file_id`, "an image by 'file_id' (send it as a URL or as data)");
  }
  const url = dataOf(part.image_url, `${param}.image_url`);
  const { detail } = part;
  // Chat knows no "original"; "auto" is what it does unasked.
  const chatDetail = detail === "original" ? "high" : detail === "auto" ? undefined : detail;
  return {
    type: "image_url",
    image_url: { url, ...(isGiven(chatDetail) && { detail: chatDetail }) },
  };
}

function filePart(part: JsonObject, param: string): JsonObject {
  for (const field of ["file_id", "file_url"]) {
    if (isGiven(part[field])) {
      throw notInChat(`${param}.${field}`, `a file by '${field}' (send it as 'file_data')`);
    }
  }
  const file_data = dataOf(part.file_data, `${param}.file_data`);
  const filename = nonEmptyString(part.filename);
  return { type: "file", file: { ...(filename !== undefined && { filename }), file_data } };
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

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function nameOf(type: unknown): string {
  return `a content part of type '${typeof type === "string" ? type.slice(0, 64) : typeof type}'`;
}
