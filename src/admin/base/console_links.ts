/**
 * The codes of links that sign somebody in at the console, once.
 *
 * @module
 */

import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../domain/clock.ts";
import type { Rights } from "../../domain/roles.ts";

/** Long enough to copy it to another machine's browser. */
export const LINK_MS = 10 * 60_000;
/** The oldest gives way. */
const MOST_LINKS = 20;

/** The codes of links that nobody has used yet: they end with the process. */
export class ConsoleLinks {
  readonly #clock: Pick<Clock, "monotonic">;
  /** By SHA-256 of a code: for whom, and until when it is good, in monotonic milliseconds. */
  readonly #made = new Map<string, { readonly rights: Rights; readonly until: number }>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** A new code, for a session of these rights. */
  make(rights: Rights): string {
    const code = randomBytes(24).toString("base64url");
    this.#made.set(hashOf(code), { rights, until: this.#clock.monotonic() + LINK_MS });
    for (const oldest of this.#made.keys()) {
      if (this.#made.size <= MOST_LINKS) break;
      this.#made.delete(oldest);
    }
    return code;
  }

  /** Whose session a code begins, where it was good until now: nobody can use it again. */
  use(code: string): Rights | undefined {
    const hash = hashOf(code);
    const made = this.#made.get(hash);
    this.#made.delete(hash);
    return made !== undefined && made.until > this.#clock.monotonic() ? made.rights : undefined;
  }
}

function hashOf(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}
