/**
 * What this dialect is called by others, and what of its words both sides know.
 *
 * @module
 */

import { createHash } from "node:crypto";

export const CONVERSE = "bedrock_converse";

const ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** An id of a call as Bedrock takes it: the same for the same, and never given back. */
export function takenId(id: string): string {
  if (ID.test(id)) return id;
  return `tg_${createHash("sha256").update(id).digest("hex").slice(0, 40)}`;
}

/** Thoughts that are signed, and those that are hidden, as one seal. */
const SIGNED = "s:";
const HIDDEN = "r:";

export function sealSigned(signature: string): string {
  return SIGNED + signature;
}

export function sealHidden(content: string): string {
  return HIDDEN + content;
}

/** What a seal stands for; `undefined` where it is none of ours. */
export function openSeal(
  seal: string,
): { readonly kind: "signed" | "hidden"; readonly value: string } | undefined {
  const kind = seal.startsWith(SIGNED) ? "signed" : seal.startsWith(HIDDEN) ? "hidden" : undefined;
  return kind && { kind, value: seal.slice(SIGNED.length) };
}
