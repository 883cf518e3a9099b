/**
 * A request's fields as a form for an upstream: lists as repeated `name[]`, members of an object as
 * `name[member]`, files from the disk.
 *
 * @module
 */

import { SpooledFile } from "../../../files/spooled_file.ts";
import { isObject, type JsonObject } from "../../../domain/json_value.ts";
import { type BodyPart, multipartBody } from "../../upstream/multipart_body.ts";
import type { SentBody } from "./ask_json.ts";

/** The form, whose files are read while it is sent. */
export function formOf(fields: Readonly<JsonObject>): SentBody {
  return multipartBody(Object.entries(fields).flatMap(([name, value]) => partsOf(name, value)));
}

function partsOf(name: string, value: unknown): readonly BodyPart[] {
  if (value === undefined || value === null) return [];
  if (value instanceof SpooledFile) return [[name, value]];
  if (Array.isArray(value)) return value.flatMap((one) => partsOf(`${name}[]`, one));
  if (isObject(value)) {
    return Object.entries(value).flatMap(([member, one]) => partsOf(`${name}[${member}]`, one));
  }
  return [[name, String(value)]];
}
