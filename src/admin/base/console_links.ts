/**
 * The codes of links that sign somebody in at the console, once.
 *
 * @module
 */

import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../domain/clock.ts";
import type { Rights } from "../../domain/roles.ts";
import { Turns } from "../../domain/turns.ts";
import type { SharedSignIns } from "../../storage/ports/shared_sign_ins.ts";

/** Long enough to copy it to another machine's browser. */
export const LINK_MS = 10 * 60_000;
/** The oldest gives way. */
const MOST_LINKS = 20;
/** Bytes of a code. */
const CODE_BYTES = 24;
/** Those in base64url. */
const CODE = /^[\w-]{32}$/;
/** Codes that are looked for at one time: anybody may try some, and calls need the database too. */
const MOST_LOOKED_FOR = 2;
/** Codes that wait for that. */
const MOST_WAITING = 10;

/** Where links are kept: for several processes, or for this one. */
export type KeptLinks = Pick<SharedSignIns, "keepLink" | "takeLink">;

/** The codes of links that nobody has used yet. */
export class ConsoleLinks {
  readonly #kept: KeptLinks;
  readonly #turns = new Turns(MOST_LOOKED_FOR);
  /** Codes that are looked for, or wait for it. */
  #tried = 0;

  constructor(kept: KeptLinks) {
    this.#kept = kept;
  }

  /** A new code, for a session of these rights. */
  async make(rights: Rights): Promise<string> {
    const code = randomBytes(CODE_BYTES).toString("base64url");
    const link = { codeHash: hashOf(code), rights };
    await this.#kept.keepLink(link, { lastsMs: LINK_MS, most: MOST_LINKS });
    return code;
  }

  /**
   * Whose session a code begins, where it was good until now: nobody can use it again. `busy` where too
   * many are tried at one time: nothing has become of this one.
   */
  async use(code: string): Promise<Rights | "busy" | undefined> {
    if (!CODE.test(code)) return undefined;
    if (this.#tried >= MOST_LOOKED_FOR + MOST_WAITING) return "busy";
    this.#tried++;
    try {
      return await this.#turns.take(() => this.#kept.takeLink(hashOf(code)));
    } finally {
      this.#tried--;
    }
  }
}

/** Links that end with this process. */
export function linksHere(clock: Pick<Clock, "monotonic">): KeptLinks {
  /** By hash: for whom, and until when it is good, in monotonic milliseconds. */
  const made = new Map<string, { readonly rights: Rights; readonly until: number }>();
  return {
    keepLink({ codeHash, rights }, { lastsMs, most }) {
      made.set(codeHash, { rights, until: clock.monotonic() + lastsMs });
      for (const oldest of made.keys()) {
        if (made.size <= most) break;
        made.delete(oldest);
      }
      return Promise.resolve();
    },
    takeLink(codeHash) {
      const link = made.get(codeHash);
      made.delete(codeHash);
      const isGood = link !== undefined && link.until > clock.monotonic();
      return Promise.resolve(isGood ? link.rights : undefined);
    },
  };
}

function hashOf(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}
