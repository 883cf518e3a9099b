/**
 * Sessions of the console, each in its cookie: who signed in, how, and until when, with a signature.
 * Only those that were ended are stored, until they would have: so both outlive a restart.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import * as z from "zod";
import { isSameSecret } from "../../accounts/same_secret.ts";
import type { AdminToken } from "../../domain/admin_token.ts";
import type { Clock } from "../../domain/clock.ts";
import { SESSION_MS } from "../../domain/console_session.ts";
import { type Rights, ROLES } from "../../domain/roles.ts";
import type { SharedSignIns } from "../../storage/ports/shared_sign_ins.ts";
import { SignedCookies } from "./signed_cookies.ts";

/** How somebody signed in. */
export const SIGN_INS = ["link", "admin_key", "token", "oidc"] as const;

const session = z.strictObject({
  id: z.string().min(16).max(64),
  by: z.enum(SIGN_INS),
  /** Of the admin key that was given, or the issuer's settings: with others the session ends. */
  key: z.string().max(64).optional(),
  /** Whom the issuer has signed in, as the audit log names him. */
  person: z.string().max(300).optional(),
  role: z.enum(ROLES),
  /** A member's. */
  project: z.string().max(200).optional(),
  /** Id of the token that was given: what that may, and for how long, is asked at each request. */
  token: z.string().max(64).optional(),
  /** Milliseconds since the epoch. */
  until: z.int(),
});

/** Somebody who is signed in. */
export type Session = z.output<typeof session>;

/** Those that were ended before their time. */
export type EndedSessions = Pick<SharedSignIns, "end" | "hasEnded">;

/** What sessions are made with. */
export interface SessionOptions {
  readonly ended: EndedSessions;
  /** Of the data dir: it stays the same as long as that. */
  readonly secret: Uint8Array;
  readonly clock: Pick<Clock, "now">;
  /** `undefined` where none is set. */
  readonly adminKey: string | undefined;
  /** The issuer's settings in one text: with others, sessions of its people end. */
  readonly oidc?: string | undefined;
}

export class Sessions {
  readonly #cookies: SignedCookies;
  readonly #clock: SessionOptions["clock"];
  /** By way of signing in: of what else was believed then. */
  readonly #marks: { readonly [by in Session["by"]]?: string };
  readonly #ended: EndedSessions;

  constructor({ secret, clock, adminKey, oidc, ended }: SessionOptions) {
    this.#ended = ended;
    this.#cookies = new SignedCookies(secret, {
      purpose: "tollgate console sessions",
      kind: "session",
      mostCharacters: 3_000,
    });
    this.#clock = clock;
    this.#marks = {
      ...(adminKey !== undefined && { admin_key: this.#cookies.mac(`admin key ${adminKey}`) }),
      ...(oidc !== undefined && { oidc: this.#cookies.mac(`oidc ${oidc}`) }),
    };
  }

  /** Begins one, which ends with the token that was given, if that is sooner. */
  begin(
    by: Session["by"],
    { rights, token, person }: {
      readonly rights: Rights;
      readonly token?: AdminToken | undefined;
      readonly person?: string | undefined;
    },
  ): { readonly cookie: string; readonly session: Session } {
    const begun: Session = {
      // With when it began: a session of another length tells nothing of that by its end.
      id: `${randomBytes(16).toString("base64url")}.${this.#clock.now().toString(36)}`,
      by,
      ...rights,
      ...(token !== undefined && { token: token.id }),
      ...(this.#marks[by] !== undefined && { key: this.#marks[by] }),
      ...(person !== undefined && { person }),
      until: Math.min(this.#clock.now() + SESSION_MS, token?.expiresAt ?? Infinity),
    };
    return { cookie: this.#cookies.write(begun), session: begun };
  }

  /** The session that a cookie is of; `undefined` where it is none, or has ended. */
  async read(cookie: string | undefined): Promise<Session | undefined> {
    const read = this.readBegun(cookie);
    if (read === undefined) return undefined;
    return await this.#ended.hasEnded({ ...read, since: sinceOf(read) }) ? undefined : read;
  }

  /** Likewise, but nobody is asked whether it was ended before its time. */
  readBegun(cookie: string | undefined): Session | undefined {
    // Earlier versions signed sessions without a role: who has one signs in again.
    const { data: read } = session.safeParse(this.#cookies.read(cookie));
    if (read === undefined) return undefined;
    const isMarked = read.by === "admin_key" || read.by === "oidc";
    const isOfOld = isMarked && (read.key === undefined || read.key !== this.#marks[read.by]);
    return isOfOld || read.until <= this.#clock.now() ? undefined : read;
  }

  /** Ends one before its time. */
  end({ id, until }: Session): Promise<void> {
    return this.#ended.end({ id, until });
  }

  /** What the forms of a session carry, so that no other page can send them. */
  formToken({ id }: Session): string {
    return this.#cookies.mac(`form ${id}`);
  }

  /** Whether a form is one of the session's own. */
  isOwnForm(of: Session, token: unknown): boolean {
    return typeof token === "string" && isSameSecret(token, this.formToken(of));
  }
}

/** When one began; one of an earlier version at the latest, had it the full length. */
function sinceOf({ id, until }: Session): number {
  const [, since] = id.split(".");
  return since === undefined ? until - SESSION_MS : parseInt(since, 36);
}

/** What a session may, that no token speaks for. */
export function rightsOf({ role, project }: Session): Rights {
  return role === "member" ? { role, project: project ?? "" } : { role };
}
