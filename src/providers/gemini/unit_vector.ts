/**
 * Vectors as callers expect them: of length 1, which some models' are not where fewer numbers are asked
 * for than they have.
 *
 * @module
 */

import { formatVector, type Vector, type VectorFormat } from "../embeddings/vector_format.ts";

/**
 * A vector in the format asked for.
 *
 * @returns `undefined` when it is no vector.
 */
export function unitVector(
  vector: unknown,
  { format, isShortened }: { readonly format: VectorFormat; readonly isShortened: boolean },
): Vector | undefined {
  const checked = formatVector(vector, "float");
  if (checked === undefined || typeof checked === "string") return undefined;
  return formatVector(isShortened ? scaled(checked) : checked, format);
}

function scaled(vector: readonly number[]): readonly number[] {
  const length = Math.hypot(...vector);
  return length === 0 || !Number.isFinite(length) ? vector : vector.map((value) => value / length);
}
