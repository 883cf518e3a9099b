/**
 * Commits a change: first to disk, and only what is on disk becomes live. There
 * is no other way for an operation to write, and none without its row in the
 * audit log.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import type { AuditedEntry, EntryResult } from "../../storage/ports/entry.ts";
import type { AdminDeps } from "./deps.ts";
import type { AuditFields, AuditNote } from "../../domain/audit.ts";

/** What is written, all or nothing, and what the audit log is told of it. */
export interface AuditedChange extends ChangeWords {
  readonly entries: AuditedEntry["changes"];
  /** Makes it live, once it is stored; absent where nothing in memory follows from it. */
  readonly put?: (stored: Stored) => void;
}

/** What became of a change that is stored. */
export type Stored = EntryResult & { readonly ok: true };

/** What a change is committed with. */
export type CommitDeps = Pick<
  AdminDeps,
  "commits" | "changes" | "decidedOn" | "clock" | "origin" | "act"
>;

/** What to tell the operator when storage refuses a change for its state's sake. */
export interface Refusals {
  readonly conflict?: string;
  readonly missing?: string;
}

/**
 * Writes a change with its row in the audit log, waits until both are synced, and makes it live.
 *
 * @throws {GatewayError} `conflict`, `not_found`, `storage_full`, `storage_away` or `internal_error`.
 */
export async function commitChange(
  deps: CommitDeps,
  { entries, put, ...words }: AuditedChange,
  refusals: Refusals = {},
): Promise<Stored> {
  const { decidedOn } = deps;
  const entry: AuditedEntry = {
    kind: "audited",
    changes: entries,
    note: noteOf(deps, words),
    ...(decidedOn !== undefined && { decidedOn }),
  };
  // Without a wait where none has to be: nothing then comes between what was decided and its entry.
  const answered = deps.changes.whenAnswered();
  if (answered !== undefined) await answered;
  const stored = accept(await deps.commits.commit(entry), refusals);
  await deps.changes.settle(stored.configuration, () => put?.(stored));
  return stored;
}

/**
 * Writes a change of something that is there already, as {@linkcode commitChange}; where
 * both sides are the same, nothing is written or noted.
 *
 * @returns Whether they differ.
 */
export async function commitDifference(
  deps: CommitDeps,
  change: AuditedChange & Required<Pick<ChangeWords, "before" | "after">>,
  refusals?: Refusals,
): Promise<boolean> {
  if (isUnchanged(change.before, change.after)) return false;
  await commitChange(deps, change, refusals);
  return true;
}

/** Passes on an entry's success and turns its refusal into an error for the operator. */
export function accept(
  result: EntryResult,
  refusals: Refusals = {},
): Stored {
  if (result.ok) return result;
  const cause = result.message;
  switch (result.reason) {
    case "conflict":
      throw new GatewayError("conflict", refusals.conflict ?? result.message, { cause });
    case "missing":
      throw new GatewayError("not_found", refusals.missing ?? result.message, { cause });
    case "outdated":
      throw new Outdated(cause);
    case "full":
      throw new GatewayError(
        "storage_full",
        "Nothing was changed: the disk of the data dir is full. Make room and try again",
        { cause, retryAfterSeconds: 10 },
      );
    case "unavailable":
    case "failed":
      throw new GatewayError(
        "internal_error",
        result.mayBeWritten === true
          ? "Nobody knows whether this was changed: the writer failed in the middle of it. " +
            "`tollgate audit list` has it if it was: look there before you try again"
          : `Nothing was changed: ${result.message}`,
        { cause },
      );
  }
}

/** What an operation says of its change. */
export interface ChangeWords {
  /** Of what is changed. */
  readonly id: string;
  /** What there was; absent for what is made. */
  readonly before?: AuditFields;
  /** What there is now; absent for what is deleted. */
  readonly after?: AuditFields;
}

/** The note about a change, of fields that are there on both sides only those that differ. */
export function noteOf(
  { clock, origin, act }: Pick<AdminDeps, "clock" | "origin" | "act">,
  { id, before, after }: ChangeWords,
): AuditNote {
  if (act?.changes === undefined) throw new TypeError("What changes something says so of itself");
  return {
    at: clock.now(),
    actor: origin.actor,
    operation: act.name,
    subject: `${act.changes}:${id}`,
    before: before && without(before, after),
    after: after && without(after, before),
    requestId: origin.requestId,
  };
}

/** Whether everything is as it was: then there is nothing to write and nothing to note. */
export function isUnchanged(before: AuditFields, after: AuditFields): boolean {
  const fields = [...Object.keys(without(before, after)), ...Object.keys(without(after, before))];
  return fields.length === 0;
}

/** Fields of one side that the other has not, or has with another value. */
function without(fields: AuditFields, other: AuditFields = {}): AuditFields {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(other[name])
    ),
  );
}

/** Another node has changed something meanwhile: what was decided may be wrong. */
class Outdated extends Error {
  override readonly name = "Outdated";
}

/** Decisions that another node's changes overtake, one after the other. */
const MOST_TRIES = 20;

const queues = new WeakMap<object, Promise<unknown>>();

/**
 * Runs `change` after every change given before it for the same gateway, and again where another node
 * has changed something before it was stored.
 *
 * @param change Commits with the deps that it is given, which say what it was decided on.
 * @throws {GatewayError} `conflict` where others change something all the time.
 */
export function oneAtATime<Deps extends Pick<AdminDeps, "directory" | "changes">, T>(
  deps: Deps,
  change: (deps: Deps) => Promise<T>,
): Promise<T> {
  const run = () => decideAgain(deps, change);
  const before = queues.get(deps.directory) ?? Promise.resolve();
  const running = before.then(run, run);
  queues.set(deps.directory, running);
  return running;
}

async function decideAgain<Deps extends Pick<AdminDeps, "changes">, T>(
  deps: Deps,
  change: (deps: Deps) => Promise<T>,
): Promise<T> {
  for (let tries = 1;; tries++) {
    const decidedOn = deps.changes.version;
    try {
      return await change(decidedOn === undefined ? deps : { ...deps, decidedOn });
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      if (tries === MOST_TRIES) {
        throw new GatewayError(
          "conflict",
          "Nothing was changed: other nodes change the configuration all the time. Try again",
          { cause: error },
        );
      }
      await deps.changes.catchUp();
    }
  }
}
