/**
 * Vectors as OpenAI writes them: a list of numbers, or base64 of 32-bit floats,
 * little-endian.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** `encoding_format` on the wire. */
export type VectorFormat = "float" | "base64";

/** A vector on the wire, in either format. */
export type Vector = readonly number[] | string;

const BYTES_PER_FLOAT = 4;
const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * A vector in the format asked for, whichever one it comes in.
 *
 * @returns `undefined` when it is no vector: empty, not finite, cut.
 */
export function formatVector(vector: unknown, format: VectorFormat): Vector | undefined {
  if (typeof vector === "string") {
    const floats = decodeVector(vector);
    if (floats === undefined || !areFinite(floats)) return undefined;
    if (format === "float") return Array.from(floats);
    // Python's decoder insists on the padding that some servers leave out.
    return vector.length % 4 === 0 ? vector : encodeVector(floats);
  }
  if (!Array.isArray(vector) || vector.length === 0 || !areNumbers(vector)) return undefined;
  if (format === "float") return areFinite(vector) ? vector : undefined;
  const floats = new Float32Array(vector);
  return areFinite(floats) ? encodeVector(floats) : undefined;
}

/** Base64 of a vector's 32-bit floats. */
export function encodeVector(vector: Float32Array | readonly number[]): string {
  const floats = vector instanceof Float32Array ? vector : new Float32Array(vector);
  const bytes = Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength);
  return (IS_LITTLE_ENDIAN ? bytes : Buffer.from(bytes).swap32()).toString("base64");
}

/** How many numbers a vector has. */
export function dimensionsOf(vector: Vector): number {
  return typeof vector === "string"
    ? Buffer.byteLength(vector, "base64") / BYTES_PER_FLOAT
    : vector.length;
}

function decodeVector(text: string): Float32Array | undefined {
  if (!BASE64.test(text)) return undefined;
  const byteLength = Buffer.byteLength(text, "base64");
  if (byteLength === 0 || byteLength % BYTES_PER_FLOAT !== 0) return undefined;
  const floats = new Float32Array(byteLength / BYTES_PER_FLOAT);
  const bytes = Buffer.from(floats.buffer);
  if (bytes.write(text, "base64") !== byteLength) return undefined;
  if (!IS_LITTLE_ENDIAN) bytes.swap32();
  return floats;
}

function areNumbers(list: readonly unknown[]): list is readonly number[] {
  for (let index = 0; index < list.length; index++) {
    if (typeof list[index] !== "number") return false;
  }
  return true;
}

function areFinite(list: Float32Array | readonly number[]): boolean {
  for (let index = 0; index < list.length; index++) {
    if (!Number.isFinite(list[index])) return false;
  }
  return true;
}
