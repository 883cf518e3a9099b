/**
 * An upstream request as bytes: head and body in one piece, so in one write; of a body that is not
 * in memory the head alone.
 *
 * @module
 */

import { BufferPool } from "../../domain/buffer_pool.ts";
import type { Connection } from "./connection.ts";
import type { Target } from "./connect.ts";
import {
  BodyLengthError,
  isInPieces,
  isStreamed,
  type StreamedBody,
  type UpstreamRequest,
} from "./contract.ts";

const encoder = new TextEncoder();
const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const FIELD_VALUE = /^[\t\x20-\x7e]*$/;
/** Fields that say how the message is framed, or where it goes: ours alone. */
const OWN_FIELDS = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "accept-encoding",
  "expect",
  "upgrade",
  "te",
  "trailer",
]);

/** Large requests of usual size are put together in these. */
const pool = new BufferPool({ bytes: 256 * 1024, most: 16 });
const LEAST_LENT_BYTES = 16 * 1024;

/**
 * The head and what is in memory of the body, until {@linkcode dropWritten}.
 *
 * @throws {TypeError} When a header cannot go on the wire; its value is not named.
 */
export function requestBytes(request: UpstreamRequest, target: Target): Uint8Array {
  const { body } = request;
  const pieces = piecesOf(body);
  let head = `${request.method} ${target.path} HTTP/1.1\r\nhost: ${target.host}\r\n`;
  for (const name in request.headers) {
    const value = request.headers[name]!;
    if (!FIELD_NAME.test(name) || !FIELD_VALUE.test(value)) {
      throw new TypeError(`Cannot send the header '${name}': it has characters that HTTP forbids`);
    }
    if (!OWN_FIELDS.has(name)) head += `${name}: ${value}\r\n`;
  }
  // Decoding costs more than a nearby upstream saves, and a bomb cannot be sent in the open.
  head += "accept-encoding: identity\r\n";
  const length = isStreamed(body)
    ? body.bytes
    : pieces?.reduce((sum, piece) => sum + piece.length, 0);
  if (length !== undefined) head += `content-length: ${length}\r\n`;
  head += "\r\n";
  if (pieces === undefined) return encoder.encode(head);
  // The head is ASCII: URLs are escaped, and names and values were checked above.
  const size = head.length + length!;
  const bytes = size > LEAST_LENT_BYTES && size <= pool.bytes
    ? pool.lend().subarray(0, size)
    : new Uint8Array(size);
  encoder.encodeInto(head, bytes);
  let at = head.length;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/**
 * Has the memory of what was written used for other requests, but for those that may be sent anew
 * even so.
 */
export function dropWritten(bytes: Uint8Array, { method }: UpstreamRequest): void {
  if (method !== "GET") pool.takeBack(bytes);
}

/** `undefined` of what is not in memory. */
function piecesOf(body: UpstreamRequest["body"]): readonly Uint8Array[] | undefined {
  if (body === undefined || isStreamed(body)) return undefined;
  if (isInPieces(body)) return body;
  return [typeof body === "string" ? encoder.encode(body) : body];
}

/**
 * Writes what {@linkcode requestBytes} gave, and a body that is not in memory behind it: as fast as
 * it is taken, until the connection is closed.
 *
 * @throws {BodyLengthError}
 * @throws What its pieces or the connection fail with.
 */
export function sendRequest(
  connection: Pick<Connection, "write">,
  bytes: Uint8Array,
  body: UpstreamRequest["body"],
): Promise<void> {
  const sent = connection.write(bytes);
  return isStreamed(body) ? sent.then(() => sendPieces(connection, body)) : sent;
}

async function sendPieces(
  connection: Pick<Connection, "write">,
  body: StreamedBody,
): Promise<void> {
  let left = body.bytes;
  for await (const piece of body.open()) {
    left -= piece.length;
    if (left < 0) break;
    await connection.write(piece);
  }
  if (left !== 0) throw new BodyLengthError();
}
