/**
 * What the audit log is told of a change: who, what, and the fields that differ.
 *
 * @module
 */

import type { AuditFields, AuditNote } from "../../domain/audit.ts";
import type { AdminDeps } from "./deps.ts";

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
