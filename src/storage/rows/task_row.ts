/**
 * Video tasks as rows: columns to bind and to read back. What never changes of a
 * task and what each change replaces are apart, so that a change binds no prompt.
 *
 * @module
 */

import type { AmountE8 } from "../../domain/money.ts";
import type { SourceWishes } from "../../domain/request_facts.ts";
import { EARLIER_SESSION, type SessionId } from "../../domain/session.ts";
import type { UpstreamJob, VideoFile, VideoLease, VideoTask } from "../../domain/video_task.ts";
import type { ColumnValue } from "./row_checksum.ts";
import {
  flag,
  freeText,
  group,
  integer,
  json,
  named,
  orNone,
  RowOf,
  single,
  type Stored,
  text,
} from "./row_of.ts";

type TaskOrigin = Pick<
  VideoTask,
  | "id"
  | "callId"
  | "requestId"
  | "projectId"
  | "keyId"
  | "model"
  | "prompt"
  | "size"
  | "seconds"
  | "wishes"
  | "fields"
  | "referenceType"
  | "callbackUrl"
  | "fingerprint"
  | "createdAt"
>;

/** The columns that a task is created with for good. */
export const TASK_ORIGIN = new RowOf<TaskOrigin>({
  id: text(),
  callId: integer(),
  requestId: text(),
  projectId: text(),
  keyId: text(),
  model: text(),
  prompt: freeText(),
  size: text(),
  seconds: integer(),
  wishes: single((wishes) => JSON.stringify(wishes), wishesFromText),
  fields: json(),
  referenceType: orNone(text()),
  callbackUrl: orNone(text()),
  fingerprint: text(),
  createdAt: integer(),
});

/** The columns that every change of a task replaces. */
export const TASK_STATE = new RowOf<Omit<VideoTask, keyof TaskOrigin>>({
  revision: integer(),
  provider: text(),
  route: text(),
  status: text(),
  progress: integer(),
  attempt: integer(),
  failures: integer(),
  restarts: integer(),
  lease: orNone(group<VideoLease>({
    session: named("lease_boot_id", single(String, sessionOf)),
    until: integer(),
  })),
  // With a fraction, where it was moved between two: it is bound and read as any number.
  movedTo: orNone(integer()),
  notBefore: integer(),
  startedAt: orNone(integer()),
  job: orNone(group<UpstreamJob>({
    id: freeText(),
    keyReference: orNone(text()),
    startedAt: integer(),
  })),
  mayHaveBegun: flag(),
  isIdUsed: flag(),
  completedAt: orNone(integer()),
  expiresAt: orNone(integer()),
  file: orNone(group<VideoFile>({
    bytes: integer(),
    sha256: text(),
    hasThumbnail: flag(),
    key: orNone(text()),
  })),
  fetchedAt: orNone(integer()),
  fileRemovedAt: orNone(integer()),
  error: orNone(group<NonNullable<VideoTask["error"]>>({ code: freeText(), message: freeText() })),
  costE8: orNone(amountInDigits()),
  saleE8: orNone(amountInDigits()),
});

/** All columns, in table order. */
export const TASK_COLUMNS = [...TASK_ORIGIN.columns, ...TASK_STATE.columns];

/** What a SELECT of a task names: amounts as digits, as so few of the columns need big integers. */
export const TASK_SELECTION = TASK_COLUMNS
  .map((column) => column.endsWith("_e8") ? `CAST(${column} AS TEXT) AS ${column}` : column)
  .join(", ");

/** The task in a row of {@linkcode TASK_SELECTION}. */
export function taskFromRow(row: unknown): VideoTask {
  return { ...TASK_ORIGIN.read(row), ...TASK_STATE.read(row) };
}

/** JSON leaves out what is undefined; a task names it. */
function wishesFromText(stored: ColumnValue): SourceWishes {
  const wishes = JSON.parse(stored as string) as SourceWishes;
  const { provider, route, preference } = wishes;
  return { ...wishes, provider, route, preference };
}

function amountInDigits(): Stored<AmountE8> {
  return single((amount) => amount, (digits) => BigInt(digits!));
}

/** Before sessions were counted, each start had a name of its own. */
function sessionOf(stored: ColumnValue): SessionId {
  return /^\d+$/.test(String(stored)) ? Number(stored) : EARLIER_SESSION;
}
