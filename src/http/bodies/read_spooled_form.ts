/**
 * Reads a form whose files go to the disk as they come: an upload of any size takes the memory of
 * one reader and of its fields.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import type { Spool, SpoolPart } from "../../files/spool.ts";
import type { SpooledFile } from "../../files/spooled_file.ts";
import type { Stay } from "../../limits/stay.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";
import { type FormFields, readFormFields } from "./form_fields.ts";
import { MultipartReader, READER_BYTES } from "./multipart_reader.ts";
import type { PartFileHead } from "./part_head.ts";
import { openBody, type ParsedBody } from "./read_body.ts";
import { boundaryOf, formError } from "./read_form.ts";

/** How large a form may be, and where its parts go. */
export interface SpoolLimits {
  /** Of the whole form. */
  readonly maxBytes: number;
  readonly maxFiles: number;
  readonly spool: Pick<Spool, "create">;
  /** The project whose room on the disk the files take. */
  readonly owner: string;
  /** Where memory is reserved; the files are removed when it is over. */
  readonly stay: Pick<Stay, "reserve" | "release" | "whenOver">;
}

type SpooledPart = readonly [name: string, value: string] | readonly [string, SpooledFile];

const MULTIPART = /^multipart\/form-data\s*(?:;|$)/i;
const MOST_PARTS = 200;
/** Of all fields of a form together that are no files. */
const MOST_TEXT_BYTES = 1024 ** 2;

/** Whether a request says that its body is a form that may carry files. */
export function isMultipart(request: Request): boolean {
  return MULTIPART.test(IncomingRequest.header(request, "content-type") ?? "");
}

/**
 * Reads and parses a form; files are {@linkcode SpooledFile}s.
 *
 * @throws {GatewayError}
 */
export async function readSpooledForm(
  request: Request,
  limits: SpoolLimits,
): Promise<ParsedBody<FormFields>> {
  const { stay } = limits;
  const type = IncomingRequest.header(request, "content-type") ?? "";
  const body = openBody(request, limits.maxBytes);
  stay.reserve(READER_BYTES);
  try {
    const reader = new MultipartReader(body, boundaryOf(type));
    const parts = await readParts(reader, limits);
    return { value: readFormFields(parts), bytes: body.bytes };
  } catch (error) {
    throw formError(error);
  } finally {
    stay.release(READER_BYTES);
  }
}

async function readParts(
  reader: MultipartReader,
  limits: SpoolLimits,
): Promise<SpooledPart[]> {
  const parts: SpooledPart[] = [];
  let files = 0;
  let textBytes = 0;
  for (let head = await reader.next(); head !== undefined; head = await reader.next()) {
    const { name, file } = head;
    if (parts.length === MOST_PARTS) {
      throw new GatewayError("invalid_value", `The form has more than ${MOST_PARTS} parts`);
    }
    if (file !== undefined) {
      if (++files > limits.maxFiles) throw tooManyFiles(name, limits);
      parts.push([name, await spoolFile(reader, file, limits)]);
      continue;
    }
    const text = await readText(reader, { name, mostBytes: MOST_TEXT_BYTES - textBytes, limits });
    textBytes += text.bytes;
    parts.push([name, text.value]);
  }
  return parts;
}

async function spoolFile(
  reader: MultipartReader,
  head: PartFileHead,
  { spool, owner, stay }: SpoolLimits,
): Promise<SpooledFile> {
  const part: SpoolPart = await spool.create(owner);
  stay.whenOver(() => void part.remove());
  for (let piece = await reader.read(); piece !== undefined; piece = await reader.read()) {
    await part.write(piece);
  }
  return part.end(head);
}

async function readText(
  reader: MultipartReader,
  { name, mostBytes, limits: { stay } }: {
    readonly name: string;
    readonly mostBytes: number;
    readonly limits: SpoolLimits;
  },
): Promise<{ readonly value: string; readonly bytes: number }> {
  const decoder = new TextDecoder();
  let value = "";
  let bytes = 0;
  for (let piece = await reader.read(); piece !== undefined; piece = await reader.read()) {
    bytes += piece.length;
    if (bytes > mostBytes) throw tooMuchText(name);
    stay.reserve(piece.length);
    value += decoder.decode(piece, { stream: true });
  }
  return { value: value + decoder.decode(), bytes };
}

function tooMuchText(name: string): GatewayError {
  const param = name.slice(0, 100);
  return new GatewayError(
    "request_too_large",
    `The fields of the form take more than ${MOST_TEXT_BYTES} bytes, up to '${param}': send what is a file with a filename`,
    { param },
  );
}

function tooManyFiles(name: string, { maxFiles }: SpoolLimits): GatewayError {
  const param = name.slice(0, 100);
  return new GatewayError(
    "invalid_value",
    `The form has more files than may be sent here, which is ${maxFiles}`,
    { param },
  );
}
