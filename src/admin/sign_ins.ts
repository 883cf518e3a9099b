/**
 * Who came in at the console, and who was refused there, for the audit log.
 *
 * @module
 */

import type { AuditActor, AuditFields } from "../domain/audit.ts";
import type { AdminDeps } from "./base/deps.ts";
import { noteOf } from "./base/commit_change.ts";
import { SIGN_IN, SIGN_IN_REFUSED } from "./base/sign_in_acts.ts";

/** Refusals of one cause within this are one row: whoever tries keys cannot fill the log. */
const REFUSALS_EVERY_MS = 60_000;

/** A sign-in, as it is told. */
export interface SignInTold {
  readonly actor: AuditActor;
  readonly requestId: string;
  /** Of the session; of what was refused its cause. */
  readonly id: string;
  readonly after: AuditFields;
}

export class SignInLog {
  readonly #deps: Pick<AdminDeps, "commits" | "clock" | "changes">;
  /** By cause: when one was told last, in monotonic milliseconds. */
  readonly #told = new Map<string, number>();

  constructor(deps: Pick<AdminDeps, "commits" | "clock" | "changes">) {
    this.#deps = deps;
  }

  /** Tells of somebody who came in. */
  signedIn(told: SignInTold): Promise<void> {
    return this.#note(told, SIGN_IN);
  }

  /** Tells of a refusal, one of each cause a minute; causes are a few words of the console's own. */
  async refused(told: SignInTold): Promise<void> {
    const now = this.#deps.clock.monotonic();
    if (now - (this.#told.get(told.id) ?? -Infinity) < REFUSALS_EVERY_MS) return;
    this.#told.set(told.id, now);
    await this.#note(told, SIGN_IN_REFUSED);
  }

  /**
   * What cannot be written keeps nobody out: with a full disk, the console is where one looks. Nor does
   * anybody wait for a database that is away: it is written should that come back in time.
   */
  async #note(
    { actor, requestId, id, after }: SignInTold,
    act: typeof SIGN_IN | typeof SIGN_IN_REFUSED,
  ): Promise<void> {
    const { commits, clock, changes } = this.#deps;
    const origin = { actor, requestId, rights: { role: "owner" } } as const;
    const note = noteOf({ clock, origin, act }, { id, after });
    const written = commits.commit({ kind: "audited", changes: [{ kind: "note_sign_in" }], note });
    const isAnswered = changes.whenAnswered()?.then(() => true, () => false) ?? true;
    if (await isAnswered) await written;
  }
}
