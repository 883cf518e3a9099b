/**
 * A form for an upstream whose files are read from the disk while it is sent: a body of any size
 * takes the memory of one piece.
 *
 * @module
 */

import type { SpooledFacts } from "../../files/spooled_file.ts";
import type { StreamedBody } from "../transport/contract.ts";

/** A field's name and its text, or its file. */
export type BodyPart =
  | readonly [name: string, text: string]
  | readonly [name: string, file: UploadFile];

/** What is sent of a file. */
export type UploadFile = Pick<SpooledFacts, "path" | "bytes" | "filename" | "contentType">;

/** A form as a request takes it. */
export interface MultipartBody {
  readonly body: StreamedBody;
  readonly contentType: string;
}

const PIECE_BYTES = 64 * 1024;
const encoder = new TextEncoder();

/**
 * Writes `multipart/form-data`, parts in their order. The files have to be there until it is sent;
 * one that has become shorter ends the sending.
 */
export function multipartBody(parts: readonly BodyPart[]): MultipartBody {
  const boundary = `tollgate-${crypto.randomUUID()}`;
  const pieces: (Uint8Array<ArrayBuffer> | UploadFile)[] = [];
  for (const [name, value] of parts) {
    const isText = typeof value === "string";
    pieces.push(encoder.encode(headOf({ boundary, name, file: isText ? undefined : value })));
    pieces.push(isText ? encoder.encode(value) : value);
    pieces.push(encoder.encode("\r\n"));
  }
  pieces.push(encoder.encode(`--${boundary}--\r\n`));
  const bytes = pieces.reduce(
    (sum, piece) => sum + (piece instanceof Uint8Array ? piece.length : piece.bytes),
    0,
  );
  return {
    body: { bytes, open: () => read(pieces) },
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

function headOf(
  { boundary, name, file }: {
    readonly boundary: string;
    readonly name: string;
    readonly file: UploadFile | undefined;
  },
): string {
  const disposition = `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"`;
  if (file === undefined) return `${disposition}\r\n\r\n`;
  const type = file.contentType ?? "application/octet-stream";
  return `${disposition}; filename="${quoted(file.filename)}"\r\ncontent-type: ${type}\r\n\r\n`;
}

/** As browsers do it: RFC 7578 leaves it open, and a backslash is read by few. */
function quoted(text: string): string {
  return text.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}

async function* read(
  pieces: readonly (Uint8Array<ArrayBuffer> | UploadFile)[],
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const buffer = new Uint8Array(PIECE_BYTES);
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      yield piece;
      continue;
    }
    using file = await Deno.open(piece.path);
    for (let count = await file.read(buffer); count !== null; count = await file.read(buffer)) {
      yield buffer.subarray(0, count);
    }
  }
}
