/**
 * An upstream request as bytes: head and body in one piece, so in one write.
 *
 * @module
 */

import type { Target } from "./connect.ts";
import type { UpstreamRequest } from "./contract.ts";

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

/** @throws {TypeError} When a header cannot go on the wire; its value is not named. */
export function requestBytes(request: UpstreamRequest, target: Target): Uint8Array {
  const body = typeof request.body === "string" ? encoder.encode(request.body) : request.body;
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
  if (body !== undefined) head += `content-length: ${body.length}\r\n`;
  head += "\r\n";
  if (body === undefined) return encoder.encode(head);
  // The head is ASCII: URLs are escaped, and names and values were checked above.
  const bytes = new Uint8Array(head.length + body.length);
  encoder.encodeInto(head, bytes);
  bytes.set(body, head.length);
  return bytes;
}
