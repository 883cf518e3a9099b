/**
 * The codes of links that sign somebody in at the console, once.
 *
 * @module
 */

import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../domain/clock.ts";
import type { Rights } from "../../domain/roles.ts";
import type { SharedSignIns } from "../../storage/ports/shared_sign_ins.ts";

/** Long enough to copy it to another machine's browser. */
export const LINK_MS = 10 * 60_000;
/** For how long somebody is signed in at the console: a working day. */
export const SESSION_MS = 12 * 3_600_000;
/** The oldest gives way. */
const MOST_LINKS = 20;

type SharedLinks = Pick<SharedSignIns, "keepLink" | "takeLink">;

/** The codes of links that nobody has used yet: they end with the process, unless others know of them. */
export class ConsoleLinks {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #shared: SharedLinks | undefined;
  /** By SHA-256 of a code: for whom, and until when it is good, in monotonic milliseconds. */
  readonly #made = new Map<string, { readonly rights: Rights; readonly until: number }>();

  /** @param shared Where other processes find them, of which any may be asked for the page behind a link. */
  constructor(clock: Pick<Clock, "monotonic">, shared?: SharedLinks) {
    this.#clock = clock;
    this.#shared = shared;
  }

  /** A new code, for a session of these rights. */
  async make(rights: Rights): Promise<string> {
    const code = randomBytes(24).toString("base64url");
    if (this.#shared !== undefined) {
      const link = { codeHash: hashOf(code), rights };
      await this.#shared.keepLink(link, { lastsMs: LINK_MS, most: MOST_LINKS });
      return code;
    }
    this.#made.set(hashOf(code), { rights, until: this.#clock.monotonic() + LINK_MS });
    for (const oldest of this.#made.keys()) {
      if (this.#made.size <= MOST_LINKS) break;
      this.#made.delete(oldest);
    }
    return code;
  }

  /** Whose session a code begins, where it was good until now: nobody can use it again. */
  async use(code: string): Promise<Rights | undefined> {
    const hash = hashOf(code);
    if (this.#shared !== undefined) return await this.#shared.takeLink(hash);
    const made = this.#made.get(hash);
    this.#made.delete(hash);
    return made !== undefined && made.until > this.#clock.monotonic() ? made.rights : undefined;
  }
}

function hashOf(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}
