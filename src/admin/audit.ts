/**
 * The audit log, read: who changed what, as it was and as it became.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../documents/shown.ts";
import { AUDIT_CHANNELS, type AuditRow } from "../domain/audit.ts";
import { didYouMean } from "../documents/did_you_mean.ts";
import type { Act, AdminDeps } from "./base/deps.ts";
import { shownTime, timeToJson } from "./base/fields.ts";
import { readSpan, spanFields } from "./base/moments.ts";
import { defineOperation } from "./base/operation.ts";
import { optionWords } from "./base/option_words.ts";
import { goneCursor, pageAnswer, pageFields, pageOf } from "./base/page.ts";

const fields = z.record(z.string(), z.unknown()).nullable();

/** A change as shown. */
const auditRow = z.object({
  number: z.int().min(1).describe("1, 2, 3 …: no number is left out"),
  at: shownTime,
  channel: z.enum(AUDIT_CHANNELS),
  user: z.string().nullable().describe(
    "What somebody came in with over TCP; on the machine a claim of who could open the socket or the " +
      "data dir, null when none was made",
  ),
  address: z.string().nullable().describe("Of a change over TCP"),
  operation: z.string(),
  subject: z.string(),
  before: fields.describe("What differs, as it was; null for what was made"),
  after: fields.describe("What differs, as it became; null for what was deleted"),
  request_id: z.string().nullable(),
});

export type AuditRowJson = Shown<typeof auditRow>;

/** Makes `audit.list`: a change is one of these acts. */
export function auditOperation(acts: readonly Act[]) {
  const names = acts.filter(({ changes }) => changes !== undefined).map(({ name }) => name).sort();
  return defineOperation({
    name: "audit.list",
    method: "GET",
    path: "/audit",
    role: "operator",
    summary: "List administrative changes, newest first.",
    input: z.strictObject({
      ...pageFields,
      ...spanFields("the first change"),
      operation: z.string().min(1).max(100).refine(
        (name) => names.includes(name),
        { error: ({ input }) => describeUnknown(String(input), names) },
      ).optional().describe("only one kind of change, such as keys.create")
        .register(optionWords, { placeholder: "name" }),
      subject: z.string().min(1).max(4200).optional().describe(
        "only changes of this project, key, provider, model, route, video or file, also by apply",
      ),
    }),
    output: pageAnswer(auditRow),
    errors: [],
    async run(deps, { from, to, operation, subject, after, limit }) {
      const beforeSeq = after === undefined ? undefined : await requireRow(deps, after);
      const rows = await deps.storage.audit.list({
        ...readSpan({ from, to }, deps.clock.now()),
        operation,
        subject,
        beforeSeq,
        limit: limit + 1,
      });
      return pageOf(rows.map(toJson), { limit, idOf: ({ number }) => String(number) });
    },
  });
}

/** What to write in the place of a name that no change has. */
function describeUnknown(name: string, names: readonly string[]): string {
  const near = didYouMean(name, names);
  const hint = near === undefined ? "there" : `did you mean '${near}'? There`;
  return `No change is called '${name}': ${hint} are ${names.join(", ")}`;
}

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
