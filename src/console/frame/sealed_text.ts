/**
 * Texts that a page carries to its next form without showing them: whoever reads the page learns
 * nothing, and nothing of them is stored here.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";

/** Of AES-256-GCM (NIST SP 800-38D), bytes. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** More than a form brings. */
const MOST_BYTES = 1024 * 1024;

/** Seals texts and opens them again. */
export class SealedTexts {
  readonly #key: Uint8Array;

  /** @param secret Of the data dir: it stays the same as long as that. */
  constructor(secret: Uint8Array) {
    this.#key = new Uint8Array(hkdfSync("sha256", secret, "", "tollgate console forms", 32));
  }

  /** A text as base64url, which opens for nothing but what it is about. */
  seal(text: string, about: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    cipher.setAAD(Buffer.from(about));
    // Forms are bounded, and base64 is longer than what it stands for.
    const sealed = [cipher.update(deflateRawSync(text)), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString("base64url");
  }

  /** What was sealed about the same; `undefined` for every other text. */
  open(sealed: string, about: string): string | undefined {
    const bytes = Buffer.from(sealed, "base64url");
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const cipher = createDecipheriv("aes-256-gcm", this.#key, bytes.subarray(0, NONCE_BYTES));
    cipher.setAAD(Buffer.from(about));
    cipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const opened = [cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))];
    try {
      opened.push(cipher.final());
    } catch {
      // It says no more than that what was sealed is another text, or about something else.
      return undefined;
    }
    return inflateRawSync(Buffer.concat(opened), { maxOutputLength: MOST_BYTES }).toString();
  }
}
