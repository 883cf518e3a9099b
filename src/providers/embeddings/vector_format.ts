/**
 * Vectors in either form that callers ask for, and the answer that they are sent in.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Work } from "../../domain/work.ts";
import type { Answer } from "../../dialects/base/answer.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import { promptUsageBody } from "../../dialects/openai/prompt_usage.ts";

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

/** The caller's fault; `message` is for the caller. */
export function refuseDimensions(message: string): UpstreamError {
  return new UpstreamError("caller", message, {
    status: 400,
    code: "invalid_value",
    param: "dimensions",
    publicMessage: message,
  });
}

/**
 * Servers whose model has one length give that one, whatever is asked: the caller's index takes no other
 * length, or finds nothing by it.
 *
 * @throws {UpstreamError} `caller`.
 */
export function requireDimensions(vector: Vector, asked: unknown): void {
  const dimensions = dimensionsOf(vector);
  if (typeof asked !== "number" || asked === dimensions) return;
  throw refuseDimensions(
    `Cannot give 'dimensions' of ${asked} as this model's vectors have ${dimensions} numbers: leave it out`,
  );
}

/** What a model made of some inputs. */
export interface Embedded {
  /** One for each input, in their order, all of one length. */
  readonly vectors: readonly Vector[];
  /** `undefined` when nothing was reported, or absurd counts. */
  readonly usage: Work | undefined;
  /** The upstream's own usage object; what vendors add to it is kept. */
  readonly rawUsage?: JsonObject | undefined;
}

/** The answer that carries them; `upstreamModel` is the model's name there. */
export function embeddingsAnswer(
  { vectors, usage, rawUsage }: Embedded,
  upstreamModel: string,
): Answer {
  return {
    body: {
      object: "list",
      data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
      model: upstreamModel,
      ...(usage === undefined ? {} : { usage: promptUsageBody(usage, rawUsage) }),
    },
    usage,
    text: () => "",
  };
}
