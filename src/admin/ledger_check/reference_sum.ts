/**
 * One hash of the references that stay of archived credits.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { KeptReference } from "../../domain/checkpoint.ts";

/** SHA-256 of all of them, whatever order they come in. */
export function sumReferences(references: readonly KeptReference[]): string {
  const lines = references.map(({ projectId, reference, amountE8 }) =>
    JSON.stringify([projectId, reference, String(amountE8)])
  );
  return createHash("sha256").update(lines.sort().join("\n")).digest("hex");
}
