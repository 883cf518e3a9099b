/**
 * Signatures of thoughts on their way to callers and back. Each binds to the key and the model that it
 * was made with, so that callers get it with a mark of both: with another key, or to another model, the
 * word goes that has the upstream skip it.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { GEMINI } from "../../dialects/gemini/names.ts";
import { isOwnSeal, ownSeal } from "../../dialects/turns/own_seal.ts";
import { asArray, asObject, isObject, type JsonObject } from "../../domain/json_value.ts";
import type { SignatureBook } from "./signature_book.ts";

/** Google's documented word for calls that its model has not made. */
const SKIPPED = "skip_thought_signature_validator";

/** A mark of who signed, as {@linkcode seal} puts it before a signature. */
export function markOf(signer: {
  readonly provider: string;
  readonly key: string | undefined;
  readonly model: string;
}): string {
  const text = JSON.stringify([signer.provider, signer.key ?? "", signer.model]);
  return createHash("sha256").update(text).digest("base64url").slice(0, 12);
}

/** A signature as callers get it. */
export function seal(signature: string, mark: string): string {
  return ownSeal(`${GEMINI}.${mark}.${signature}`);
}

/** How the calls of a request are signed. */
export interface Signing {
  /** Of who is asked now. */
  readonly mark: string;
  /** Whether a call without a signature is refused. */
  readonly isNeeded: boolean;
  readonly book: SignatureBook;
}

/**
 * A request's contents with what their calls are signed with: of several calls in one step only the
 * first needs to be.
 *
 * @param signing Absent: every signature is skipped.
 */
export function sign(
  contents: unknown,
  { mark, isNeeded, book }: Signing,
  isSkipped = false,
): readonly unknown[] {
  return asArray(contents).map((content) => {
    if (!isObject(content) || content.role !== "model") return content;
    let isSigned = false;
    return {
      ...content,
      parts: asArray(content.parts).map((part) => {
        const call = asObject(asObject(part)?.functionCall);
        if (call === undefined) return part;
        const { thoughtSignature: given, ...plain } = part as JsonObject;
        const known = given ?? book.signatureOf(String(call.id));
        const own = isSkipped ? undefined : unsealed(known, mark);
        const signature = own ?? (isNeeded && !isSigned ? SKIPPED : undefined);
        if (signature === undefined) return plain;
        isSigned = true;
        return { ...plain, thoughtSignature: signature };
      }),
    };
  });
}

/** A signature that is not ours came from Google's own API, by whatever way. */
function unsealed(given: unknown, mark: string): string | undefined {
  if (!isOwnSeal(given)) return typeof given === "string" ? given : undefined;
  const head = seal("", mark);
  return given.startsWith(head) ? given.slice(head.length) : undefined;
}
