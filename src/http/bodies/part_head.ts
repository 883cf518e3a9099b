/**
 * Reads the head of a form's part: its name, and what it says of a file.
 *
 * @module
 */

import { percentDecoded } from "../../domain/percent_decoded.ts";

/** Says what is wrong with the form, for its caller. */
export class MalformedFormError extends Error {
  override readonly name = "MalformedFormError";
}

/** What a part says of itself. */
export interface PartHead {
  readonly name: string;
  /** Present of files alone. */
  readonly file: PartFileHead | undefined;
}

/** What a part says of its file. */
export interface PartFileHead {
  readonly filename: string;
  /** A media type in lower case; `undefined` where none is told that is one. */
  readonly contentType: string | undefined;
}

/** One parameter of a header: a token, or a text in quotes with backslashes. */
const PARAMETER = /;[ \t]*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^;\s"]*))[ \t]*/gy;
const MEDIA_TYPE = /^[ \t]*([\w.+-]{1,100}\/[\w.+-]{1,100})[ \t]*(?:;|$)/;
const MOST_NAME_CHARACTERS = 255;

/** @throws {MalformedFormError} When it names no field. */
export function readPartHead(head: string): PartHead {
  const fields = head.split("\r\n");
  const disposition = fieldOf(fields, "content-disposition") ?? "";
  const [, parameters = ""] = /^[ \t]*form-data[ \t]*(;.*)$/is.exec(disposition) ?? [];
  let name: string | undefined;
  let filename: string | undefined;
  let extended: string | undefined;
  for (const [, parameter, quoted, token] of parameters.matchAll(PARAMETER)) {
    const value = quoted?.replace(/\\(.)/g, "$1") ?? token!;
    if (/^name$/i.test(parameter!)) name ??= value;
    if (/^filename$/i.test(parameter!)) filename ??= value;
    if (/^filename\*$/i.test(parameter!)) extended ??= value;
  }
  if (name === undefined) throw new MalformedFormError("a part of it has no name");
  if (filename === undefined && extended === undefined) return { name, file: undefined };
  const [, contentType] = MEDIA_TYPE.exec(fieldOf(fields, "content-type") ?? "") ?? [];
  return {
    name,
    file: {
      filename: shown(decodeExtended(extended) ?? filename ?? ""),
      contentType: contentType?.toLowerCase(),
    },
  };
}

function fieldOf(fields: readonly string[], name: string): string | undefined {
  for (const field of fields) {
    const colon = field.indexOf(":");
    if (field.slice(0, colon).trimEnd().toLowerCase() === name) return field.slice(colon + 1);
  }
  return undefined;
}

/** `utf-8''%E2%82%AC.png`, as RFC 5987 has it and some clients send; `undefined` of what is none. */
function decodeExtended(value: string | undefined): string | undefined {
  const [, coded] = /^utf-8'[^']*'(.*)$/i.exec(value ?? "") ?? [];
  return coded === undefined ? undefined : percentDecoded(coded);
}

/** The name alone, without the folders that some clients send, and of characters that can be shown. */
function shown(filename: string): string {
  const name = filename.slice(Math.max(filename.lastIndexOf("/"), filename.lastIndexOf("\\")) + 1);
  // deno-lint-ignore no-control-regex
  return name.replace(/[\x00-\x1f\x7f]/g, "_").slice(0, MOST_NAME_CHARACTERS);
}
