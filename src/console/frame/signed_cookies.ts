/**
 * Cookies that carry what they are about themselves, with a signature: nothing of them is stored here.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHmac, hkdfSync } from "node:crypto";
import { isSameSecret } from "../../accounts/same_secret.ts";

/** What a kind of cookies is signed for. */
export interface SignedCookieOptions {
  /** What the key is derived for (RFC 5869, `info`): no other purpose's signature passes here. */
  readonly purpose: string;
  /** The word before what is signed, so that nothing else that the key has signed is a cookie. */
  readonly kind: string;
  /** Longer ones are none of ours. */
  readonly mostCharacters: number;
}

export class SignedCookies {
  readonly #key: Uint8Array;
  readonly #options: SignedCookieOptions;

  /** @param secret Of the data dir: it stays the same as long as that. */
  constructor(secret: Uint8Array, options: SignedCookieOptions) {
    this.#key = new Uint8Array(hkdfSync("sha256", secret, "", options.purpose, 32));
    this.#options = options;
  }

  /** The cookie of a value that JSON can tell: base64url, a dot, and the signature. */
  write(value: object): string {
    const text = Buffer.from(JSON.stringify(value)).toString("base64url");
    return `${text}.${this.#signature(text)}`;
  }

  /** The value of a cookie that was signed here; `undefined` of every other text. */
  read(cookie: string | undefined): unknown {
    if (cookie === undefined || cookie.length > this.#options.mostCharacters) return undefined;
    const [text = "", signature = "", ...rest] = cookie.split(".");
    if (rest.length > 0 || !isSameSecret(signature, this.#signature(text))) return undefined;
    return JSON.parse(Buffer.from(text, "base64url").toString());
  }

  /** HMAC-SHA-256 of a text by the same key, in base64url. */
  mac(text: string): string {
    return createHmac("sha256", this.#key).update(text).digest("base64url");
  }

  #signature(text: string): string {
    return this.mac(`${this.#options.kind} ${text}`);
  }
}
