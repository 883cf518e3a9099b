/**
 * The codes of links that sign somebody in at the console, once.
 *
 * @module
 */

import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../domain/clock.ts";

/** Long enough to copy it to another machine's browser. */
export const LINK_MS = 10 * 60_000;
/** The oldest gives way. */
const MOST_LINKS = 20;

/** The codes of links that nobody has used yet: they end with the process. */
export class ConsoleLinks {
  readonly #clock: Pick<Clock, "monotonic">;
  /** SHA-256 of a code, and until when it is good, in monotonic milliseconds. */
  readonly #untils = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** A new code. */
  make(): string {
    const code = randomBytes(24).toString("base64url");
    this.#untils.set(hashOf(code), this.#clock.monotonic() + LINK_MS);
    for (const oldest of this.#untils.keys()) {
      if (this.#untils.size <= MOST_LINKS) break;
      this.#untils.delete(oldest);
    }
    return code;
  }

  /** Whether a code was good until now: nobody can use it again. */
  use(code: string): boolean {
    const hash = hashOf(code);
    const until = this.#untils.get(hash);
    this.#untils.delete(hash);
    return until !== undefined && until > this.#clock.monotonic();
  }
}

function hashOf(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}
