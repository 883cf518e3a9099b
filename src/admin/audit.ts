/**
 * The audit log, read: who changed what, as it was and as it became.
 *
 * @module
 */

import * as z from "zod";
import type { AuditChannel, AuditFields, AuditRow } from "../domain/audit.ts";
import type { AdminDeps } from "./deps.ts";
import { AUDITED_OPERATIONS, describeUnknownOperation } from "./audited_operations.ts";
import { timeToJson } from "./input_fields.ts";
import { readMoment } from "./moments.ts";
import { defineOperation } from "./operation.ts";
import { goneCursor, type Page, pageFields, pageOf } from "./page.ts";

/** A change as shown. */
export interface AuditRowJson {
  /** 1, 2, 3 …: no number is left out. */
  readonly number: number;
  readonly at: string;
  readonly channel: AuditChannel;
  /** A claim of who could open the socket or the data dir; `null` when none was made. */
  readonly user: string | null;
  /** Of a change over TCP. */
  readonly address: string | null;
  readonly operation: string;
  readonly subject: string;
  /** What differs, as it was; `null` for what was made. */
  readonly before: AuditFields | null;
  /** What differs, as it became; `null` for what was deleted. */
  readonly after: AuditFields | null;
  readonly request_id: string | null;
}

export const listAudit = defineOperation({
  name: "audit.list",
  method: "GET",
  path: "/audit",
  summary: "Lists administrative changes, newest first.",
  input: z.strictObject({
    since: z.string().optional(),
    operation: z.string().min(1).max(100).refine(
      (name) => AUDITED_OPERATIONS.includes(name),
      { error: ({ input }) => describeUnknownOperation(String(input)) },
    ).optional(),
    subject: z.string().min(1).max(4200).optional(),
    ...pageFields,
  }),
  async run(deps, { since, operation, subject, after, limit }): Promise<Page<AuditRowJson>> {
    const nowMs = deps.clock.now();
    const beforeSeq = after === undefined ? undefined : await requireRow(deps, after);
    const rows = await deps.storage.audit.list({
      sinceMs: since === undefined
        ? undefined
        : readMoment(since, { nowMs, duration: "ago", param: "since" }),
      operation,
      subject,
      beforeSeq,
      limit: limit + 1,
    });
    return pageOf(rows.map(toJson), { limit, idOf: ({ number }) => String(number) });
  },
});

/** The number of a row that there is: they are counted without a gap. */
async function requireRow({ storage }: Pick<AdminDeps, "storage">, after: string): Promise<number> {
  const [last] = await storage.audit.list({ limit: 1 });
  const seq = /^[1-9]\d{0,14}$/.test(after) ? Number(after) : undefined;
  if (seq === undefined || seq > (last?.seq ?? 0)) throw goneCursor("row", after);
  return seq;
}

function toJson(row: AuditRow): AuditRowJson {
  return {
    number: row.seq,
    at: timeToJson(row.at),
    channel: row.actor.channel,
    user: row.actor.user ?? null,
    address: row.actor.address ?? null,
    operation: row.operation,
    subject: row.subject,
    before: row.before ?? null,
    after: row.after ?? null,
    request_id: row.requestId ?? null,
  };
}
