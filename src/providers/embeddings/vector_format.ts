/**
 * Vectors as OpenAI writes them: a list of numbers, or base64 of 32-bit floats,
 * little-endian.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** `encoding_format` on the wire. */
export type VectorFormat = "float" | "base64";

const BYTES_PER_FLOAT = 4;
const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * A vector in the format asked for, whichever one it comes in.
 *
 * @returns `undefined` when it is no vector: empty, not finite, cut.
 */
export function formatVector(
  vector: unknown,
  format: VectorFormat,
): readonly number[] | string | undefined {
  if (typeof vector === "string") {
    if (vector.length === 0 || !BASE64.test(vector)) return undefined;
    const bytes = Buffer.byteLength(vector, "base64");
    if (bytes === 0 || bytes % BYTES_PER_FLOAT !== 0) return undefined;
    return format === "base64" ? vector : decodeVector(vector);
  }
  if (!Array.isArray(vector) || vector.length === 0 || !vector.every(Number.isFinite)) {
    return undefined;
  }
  return format === "float" ? vector : encodeVector(vector);
}

/** Base64 of a vector's 32-bit floats. */
export function encodeVector(vector: ArrayLike<number>): string {
  const floats = vector instanceof Float32Array ? vector : Float32Array.from(vector);
  if (!IS_LITTLE_ENDIAN) return encodeSwapped(floats);
  return Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength).toString("base64");
}

function decodeVector(text: string): readonly number[] {
  const bytes = Buffer.from(text, "base64");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from(
    { length: bytes.byteLength / BYTES_PER_FLOAT },
    (_, index) => view.getFloat32(index * BYTES_PER_FLOAT, true),
  );
}

function encodeSwapped(floats: Float32Array): string {
  const bytes = Buffer.alloc(floats.byteLength);
  floats.forEach((value, index) => bytes.writeFloatLE(value, index * BYTES_PER_FLOAT));
  return bytes.toString("base64");
}
