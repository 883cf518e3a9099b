/**
 * Who may administer by a secret: the admin key, which is an owner's, and tokens with a role. What is
 * presented is compared here, for every way in.
 *
 * @module
 */

import type { AdminTokens } from "../../accounts/admin_tokens.ts";
import { isSameSecret } from "../../accounts/same_secret.ts";
import { type AdminToken, stateOfToken } from "../../domain/admin_token.ts";
import type { Clock } from "../../domain/clock.ts";
import { OWNER, type Rights } from "../../domain/roles.ts";

/** Who has presented something that opens. */
export interface Admitted {
  readonly rights: Rights;
  /** As the audit log names him: `admin key`, or a token by its id and name. */
  readonly user: string;
  /** Absent of the admin key. */
  readonly token?: AdminToken;
}

/** What became of a secret that was presented. */
export type Admission =
  | ({ readonly kind: "admitted" } & Admitted)
  | {
    readonly kind: "refused";
    /** What it is, in a sentence that names no secret: whoever has it may know. */
    readonly because: string;
    /** Of one that has opened before. */
    readonly token?: AdminToken;
  };

const UNKNOWN: Admission = {
  kind: "refused",
  because: "This is neither the gateway's admin key nor a token of administration",
};

/** What secrets are compared with. */
export interface AccessOptions {
  /** `undefined` where none is set. */
  readonly adminKey: string | undefined;
  readonly tokens: AdminTokens;
  readonly clock: Pick<Clock, "now">;
}

export class AdminAccess {
  readonly #adminKey: string | undefined;
  readonly #tokens: AdminTokens;
  readonly #clock: Pick<Clock, "now">;

  constructor({ adminKey, tokens, clock }: AccessOptions) {
    this.#adminKey = adminKey;
    this.#tokens = tokens;
    this.#clock = clock;
  }

  /** Whether there is anything that opens: otherwise there is no door either. */
  get isOpen(): boolean {
    return this.#adminKey !== undefined || this.#tokens.hasAny;
  }

  /** Who presents it, now: a token that has expired or was revoked is refused from then on. */
  admit(presented: string): Admission {
    if (this.#adminKey !== undefined && isSameSecret(presented, this.#adminKey)) {
      return { kind: "admitted", rights: OWNER, user: "admin key" };
    }
    const token = this.#tokens.find(presented);
    return token === undefined ? UNKNOWN : this.admitToken(token);
  }

  /** Whether whoever came in with a token may go on. */
  admitToken(token: AdminToken): Admission {
    const now = this.#clock.now();
    const state = stateOfToken(token, now);
    if (state !== "active") {
      const at = new Date((state === "revoked" ? token.revokedAt : token.expiresAt)!).toISOString();
      const because = `The token ${token.id} ${state === "revoked" ? "was revoked" : "expired"} ` +
        `at ${at}: ask an owner for another`;
      return { kind: "refused", because, token };
    }
    this.#tokens.noteUse(token, now);
    return { kind: "admitted", rights: token.rights, user: userOf(token), token };
  }

  /** As {@linkcode admitToken}, by its id. */
  admitTokenById(id: string): Admission {
    const token = this.#tokens.byId(id);
    return token === undefined ? UNKNOWN : this.admitToken(token);
  }
}

/** As the audit log names a token. */
export function userOf({ id, name }: Pick<AdminToken, "id" | "name">): string {
  return name === "" ? `token ${id}` : `token ${id} (${name})`;
}
