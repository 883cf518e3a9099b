/**
 * Archiving of calls of closed months, while the gateway goes on, and the archives that the ledger
 * goes on from.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { pathField, shownCount, shownTime, timeToJson } from "../base/fields.ts";
import { GatewayError } from "../../errors.ts";
import { commitChange } from "../base/commit_change.ts";
import { archiveBefore, ARCHIVING } from "./archive_before.ts";
import type { ArchiveOutlook, KnownArchive } from "../base/archive_report.ts";
import { knownArchives } from "./known_archives.ts";
import { awayTrouble } from "./unfinished_archive.ts";
import type { WorkProgress, WorkStep } from "../base/work_progress.ts";
import { type ClosedMonths, closedMonths } from "./closed_months.ts";
import { readMoment } from "../base/moments.ts";
import { defineOperation } from "../base/operation.ts";

const archiveAnswer = z.object({
  dry_run: z.boolean(),
  number: z.int().min(1).nullable().describe(
    "The archive's number: 1, 2, 3 …; null when nothing was written",
  ),
  file: z.string().nullable(),
  bytes: shownCount.nullable(),
  sha256: z.string().nullable().describe("Of what the archive states, as the database keeps it"),
  before: shownTime.describe("Everything archived is of an earlier time"),
  calls: shownCount,
  ledger_rows: shownCount,
  from: shownTime.nullable().describe("Of the first ledger row; null when there is none"),
  to: shownTime.nullable(),
  stays: z.array(z.object({
    what: z.string(),
    count: shownCount.nullable().describe("null where it was not counted"),
    why: z.string(),
  })).describe("What lies before the time asked for and stays in the database"),
  is_of_one_node: z.boolean().describe(
    "Whether the file is in the data dir of the node that has made it, and other nodes go without",
  ),
  milliseconds: shownCount,
});

/** What was archived, or would be. */
export type ArchiveAnswer = Shown<typeof archiveAnswer>;

/** Something that stays in the database. */
export type ArchiveStay = ArchiveAnswer["stays"][number];

/** Archiving has no other step. */
const ARCHIVING_STEPS = ["copying", "checking", "comparing", "dropping", "restoring"] as const;

type ArchivingStep = typeof ARCHIVING_STEPS[number] & WorkStep;

const DATE = /^\d{4}-\d{2}-\d{2}$/;

export const archiveCalls = defineOperation({
  ...ARCHIVING,
  method: "POST",
  path: "/calls/archive",
  role: "owner",
  isLong: true,
  isLocal: true,
  summary: "Move the calls of closed months, with their ledger rows, to a new file on the " +
    "gateway's machine, and prove it; dry_run tells what it would hold.",
  input: z.strictObject({
    before: z.string().regex(DATE, "Expected a date, such as 2026-09-01")
      .describe("UTC date: calls of whole months before it"),
    file: pathField.optional()
      .describe("a path that nothing has yet, or a folder (default: <data>/archives)"),
    dry_run: z.boolean().default(false)
      .describe("only tell what would be archived, and what stays"),
  }),
  output: archiveAnswer,
  errors: [],
  async run(deps, { before, file, dry_run: isDry }) {
    const { archives, clock } = deps;
    const started = clock.monotonic();
    const took = () => Math.round(clock.monotonic() - started);
    const nowMs = clock.now();
    const untilMs = readMoment(before, { nowMs, duration: "ago", param: "before" });
    const months = closedMonths(untilMs, nowMs);
    return await archives.alone(async () => {
      const finished = isDry ? undefined : await archives.finishDropping(
        deps.storage.checkpoints,
      );
      const outlook = await archives.outlook(months.beforeMs);
      const answer = answerOf(outlook, months);
      if (isDry || outlook.plan === undefined) {
        if (finished !== undefined) return { ...answer, ...told(finished), milliseconds: took() };
        return { ...answer, dry_run: isDry, milliseconds: took() };
      }
      const written = await archiveBefore(deps, { beforeMs: months.beforeMs, place: file });
      const { archive, bytes, trouble, isOfOneNode = false } = written;
      return {
        ...answer,
        ...told(archive),
        stays: [...answer.stays, ...troubleStays(trouble)],
        bytes,
        is_of_one_node: isOfOneNode,
        milliseconds: took(),
      };
    }, deps.watcher);
  },
});

function told({ number, file, sha256, calls, beforeMs }: KnownArchive) {
  return { number, file, sha256, calls, before: timeToJson(beforeMs) };
}

function answerOf(outlook: ArchiveOutlook, months: ClosedMonths): ArchiveAnswer {
  const { plan } = outlook;
  return {
    dry_run: false,
    number: null,
    file: null,
    bytes: null,
    sha256: null,
    before: timeToJson(months.beforeMs),
    calls: plan?.calls ?? 0,
    ledger_rows: plan?.ledgerRows ?? 0,
    from: timeToJson(plan?.firstAt),
    to: timeToJson(plan?.lastAt),
    stays: [...staysOf(outlook, months)],
    is_of_one_node: false,
    milliseconds: 0,
  };
}

function* staysOf(
  { plan, leavings }: ArchiveOutlook,
  { beforeMs, refused }: ClosedMonths,
): Iterable<ArchiveStay> {
  const day = timeToJson(beforeMs).slice(0, 10);
  if (refused !== undefined) {
    yield { what: `calls of ${day} and later`, count: null, why: refused.why };
  }
  const { openCalls, rowsOutOfOrder, unsealedRows = 0, rowsReachingBeyond = 0 } = leavings;
  if (openCalls > 0) {
    yield {
      what: "open calls",
      count: openCalls,
      why: "they have not ended: a call is archived by the time of its end",
    };
  }
  if (rowsOutOfOrder > 0) {
    yield {
      what: "ledger rows",
      count: rowsOutOfOrder,
      why: `they come after a row of ${day} or later, as a clock was set back: rows are ` +
        "archived in their order",
    };
  }
  if (unsealedRows > 0) {
    yield {
      what: "ledger rows",
      count: unsealedRows,
      why: "they are not sealed yet: that is done an hour after they are written, or when their " +
        "day is over, unless something is wrong with them (tollgate ledger verify)",
    };
  }
  if (rowsReachingBeyond > 0) {
    yield {
      what: "ledger rows",
      count: rowsReachingBeyond,
      why: `they were sealed together with rows of ${day} or later: what was sealed together is ` +
        "archived together",
    };
  }
  if (plan !== undefined && plan.films > 0) {
    yield {
      what: "calls of films",
      count: plan.films,
      why: "they are archived and stay here too, until their films are deleted",
    };
  }
  if (plan !== undefined && plan.references > 0) {
    yield {
      what: "references of credits",
      count: plan.references,
      why: "they stay, so that those credits remain safe to repeat",
    };
  }
}

function* troubleStays(trouble: string | undefined): Iterable<ArchiveStay> {
  if (trouble === undefined) return;
  yield {
    what: "ledger rows",
    count: null,
    why: `${trouble}: nothing that was altered is archived, nor what follows it in its book`,
  };
}

function underWay(progress: WorkProgress | undefined) {
  if (progress === undefined) return null;
  const { step, done, total = 0 } = progress;
  return { step: step as ArchivingStep, done, of: total };
}

/** An archive as shown. */
const shownArchive = z.object({
  number: z.int().min(1),
  file: z.string().describe("Where it was written"),
  is_in_place: z.boolean().describe(
    "Whether it is still there, and not another file: archives may be moved. Of several nodes, on " +
      "the one that is asked",
  ),
  before: shownTime.describe("Every call in it ended at an earlier time"),
  calls: shownCount,
  to_seq: shownCount.nullable().describe(
    "The last ledger row in it; null for one of sealed runs, which may be of several books",
  ),
  sha256: z.string().describe("Of what it states"),
  is_dropped: z.boolean().describe("Whether the database has its rows no more"),
  node: z.string().nullable().describe(
    "Which of several nodes had the file last; null where one has the database alone",
  ),
  trouble: z.string().nullable().describe(
    "Why its rows stay in the database, and what to do; null where nothing keeps them",
  ),
});

/** Which archive. */
const giveUpInput = z.strictObject({
  number: z.int().min(1).describe("an archive's number, see calls.archives"),
  accept_loss: z.boolean().default(false).describe(
    "also where a part of it is dropped: those calls are nowhere but in its file",
  ),
});

export const giveUpArchive = defineOperation({
  name: "calls.give_up_archive",
  changes: "archive",
  method: "POST",
  path: "/calls/archives/give-up",
  role: "owner",
  summary:
    "Give up an archive on a server whose file is lost: its rows that are not dropped are the " +
    "database's again, and may be archived anew.",
  input: giveUpInput,
  output: shownArchive,
  errors: ["not_found"],
  async run(deps, { number, accept_loss: acceptsLoss }) {
    const { archives } = deps;
    return await archives.alone(async () => {
      const archive = (await archives.list()).find((one) => one.number === number);
      if (archive === undefined) {
        throw new GatewayError("not_found", `There is no archive ${number} of sealed runs`);
      }
      const isThere = await archives.isInPlace(archive);
      if (isThere && archive.isDropped === false) {
        throw new GatewayError(
          "conflict",
          `Archive ${number} is not given up: its file is here, ${archive.file}. Archive again, which goes on with it`,
        );
      }
      await commitChange(deps, {
        id: String(number),
        entries: [{ kind: "give_up_run_archive", number, acceptsLoss }],
        before: {
          ...{ file: archive.file, calls: archive.calls, sha256: archive.sha256 },
          is_begun: archive.isBegun === true,
        },
      });
      // As it is now: done with what was dropped of it, or no archive any more. Nothing keeps its rows.
      const left = { ...archive, isDropped: archive.isBegun === true };
      return { ...shown(left, isThere), trouble: null };
    });
  },
});

export const listArchives = defineOperation({
  name: "calls.archives",
  method: "GET",
  path: "/calls/archives",
  role: "operator",
  summary: "List the archives of calls, and what archiving is at.",
  input: z.strictObject({}),
  output: z.object({
    archives: z.array(shownArchive).describe("Oldest first"),
    under_way: z.object({
      step: z.enum(ARCHIVING_STEPS),
      done: shownCount,
      of: shownCount.describe("0 where it is not known"),
    }).nullable().describe("What archiving is at; null when none is under way"),
  }),
  errors: [],
  async run(deps) {
    const { archives } = deps;
    const known = await knownArchives(deps);
    const found: Shown<typeof shownArchive>[] = [];
    for (const archive of known) found.push(shown(archive, await archives.isInPlace(archive)));
    return { archives: found, under_way: underWay(archives.progress()) };
  },
});

function shown(archive: KnownArchive, isInPlace: boolean): Shown<typeof shownArchive> {
  return {
    number: archive.number,
    file: archive.file,
    is_in_place: isInPlace,
    before: timeToJson(archive.beforeMs),
    calls: archive.calls,
    to_seq: archive.lastSeq ?? null,
    sha256: archive.sha256,
    is_dropped: archive.isDropped ?? true,
    node: archive.node?.label ?? null,
    trouble: awayTrouble(archive, isInPlace) ?? null,
  };
}
