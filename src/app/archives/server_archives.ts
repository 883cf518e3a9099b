/**
 * Archives of the sealed runs of a database server, which several processes may share: the database
 * decides who is at one.
 *
 * @module
 */

import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type {
  AdminArchives,
  ArchivedCall,
  ArchiveOutlook,
  KnownArchive,
  WrittenArchive,
} from "../../admin/base/archive_report.ts";
import type { WorkProgress, WorkWatcher } from "../../admin/base/work_progress.ts";
import { ArchiveFileAway, whereabouts } from "../../admin/archives/unfinished_archive.ts";
import { fittingSeal } from "../../admin/ledger_check/seal_documents.ts";
import type { BookPlace } from "../../domain/book.ts";
import type { Clock } from "../../domain/clock.ts";
import { randomName } from "../../domain/ids.ts";
import { readRunArchive, type RunArchive, runArchiveOf } from "../../domain/run_archive.ts";
import { waitAtMost } from "../../domain/wait_at_most.ts";
import { GatewayError } from "../../errors.ts";
import { exists, makeLast, placeNewFile, syncFile } from "../../files/place_new_file.ts";
import type { ArchiveSeal } from "../../storage/ports/archive_seal.ts";
import type { BegunArchive } from "../../storage/ports/archived_runs.ts";
import type { RunArchiveWriter } from "../../storage/ports/run_archives.ts";
import type { LedgerRun } from "../../storage/ports/ledger_run.ts";
import type { LedgerSeals } from "../../storage/ports/seals.ts";
import type { DiskReserve } from "../database/disk_reserve.ts";
import { Jobs } from "../jobs/jobs.ts";
import { checkNewFile, explainNewFile, makeOwnFolder } from "../jobs/new_file.ts";
import { restAsLong } from "../jobs/rest_as_long.ts";
import { Alone } from "./alone.ts";
import { archiveName, fileAt, removeLeavings, removePart, removeParts } from "./archive_place.ts";
import { type DamageListener, findArchivedCall, isInPlace } from "./find_archived_call.ts";
import { restoreRuns } from "./restore_runs.ts";

/** Rows read and written in one go: what a call may have to wait for. */
const COPIED_ROWS = 100;
/** Rows after which what is written goes to the disk: a single sync at the end would be long. */
const ROWS_PER_SYNC = 8_000;
/** What a row of the ledger takes of an archive with its call and the indexes over both. */
const ROW_BYTES = 600;
/** Rows of the ledger dropped in one go, with their calls. */
const DROPPED_ROWS = 200;
/**
 * The end of the process waits so long for what is under way: one statement may wait for minutes on a
 * server that is silent. What it does is done as a whole or not at all, and nothing follows it.
 */
const STOP_PATIENCE_MS = 2_000;

/** What archives are made with. */
export interface ServerArchivesOptions {
  readonly seals: LedgerSeals;
  readonly clock: Pick<Clock, "now">;
  readonly reserve: Pick<DiskReserve, "freeBytes">;
  /** Hears of archives that cannot be read as they were written. Default: nobody does. */
  readonly onDamage?: DamageListener | undefined;
}

export class ServerArchives implements AdminArchives {
  readonly #dataDir: string;
  readonly #seals: LedgerSeals;
  readonly #clock: Pick<Clock, "now">;
  readonly #reserve: ServerArchivesOptions["reserve"];
  readonly #alone = new Alone();
  readonly #onDamage: DamageListener | undefined;
  readonly #jobs = new Jobs();
  readonly #stopping = new AbortController();
  /** The number of the one that this process is at. */
  #begun: number | undefined;
  /** What there was to archive, as long as it is archived. */
  #looked: { readonly beforeMs: number; readonly ledgerRows: number } | undefined;
  /** SHA-256 of what one states that this process has just proved. */
  #proved: string | undefined;

  constructor(dataDir: string, { seals, clock, reserve, onDamage }: ServerArchivesOptions) {
    this.#dataDir = resolve(dataDir);
    this.#seals = seals;
    this.#clock = clock;
    this.#reserve = reserve;
    this.#onDamage = onDamage;
  }

  /** Whatever became of it, others may begin then, unless something depends on what was written. */
  alone<Value>(work: () => Promise<Value>, watcher?: WorkWatcher): Promise<Value> {
    return this.#alone.run(async () => {
      try {
        return await work();
      } finally {
        const begun = this.#begun;
        this.#begun = undefined;
        this.#looked = undefined;
        this.#proved = undefined;
        if (begun !== undefined) await this.#seals.archives.giveUp(begun).catch(() => {});
      }
    }, watcher);
  }

  get isUnderWay(): boolean {
    return this.#alone.isUnderWay;
  }

  progress(): WorkProgress | undefined {
    return this.#alone.progress;
  }

  async outlook(beforeMs: number): Promise<ArchiveOutlook> {
    const found = await this.#seals.archives.outlook(beforeMs);
    const { runs, openCalls, unsealedRows, rowsReachingBeyond, ...counts } = found;
    this.#looked = { beforeMs, ledgerRows: found.ledgerRows };
    return {
      plan: runs === 0 ? undefined : { ...counts, references: 0 },
      leavings: { openCalls, rowsOutOfOrder: 0, unsealedRows, rowsReachingBeyond },
    };
  }

  async write(beforeMs: number, place: string | undefined): Promise<WrittenArchive> {
    const ownFolder = this.#ownFolder;
    const begun = await this.#seals.archives.begin();
    if (begun === undefined) {
      throw new GatewayError(
        "conflict",
        "Cannot archive calls: another node is at it, or at dropping what it has archived",
      );
    }
    this.#begun = begun.number;
    const file = fileAt(place ?? ownFolder, {
      isFolder: place === undefined,
      name: archiveName(beforeMs, begun.number),
    });
    const part = `${file}.${randomName(8)}.part`;
    try {
      if (place === undefined) await makeOwnFolder(ownFolder);
      await removeParts(file);
      await removeLeavings(dirname(file));
      const ledgerRows = await this.#rowsBefore(beforeMs);
      await checkNewFile(file, {
        what: "archive",
        dataDir: this.#dataDir,
        ownFolder,
        mayBeThere: true,
        reserve: this.#reserve,
        bytes: ledgerRows * ROW_BYTES,
      });
      const isOfOneNode = file.startsWith(`${this.#dataDir}/`);
      if (await exists(file)) {
        return { ...await this.#takeUp(file, { ...begun, beforeMs }), isOfOneNode };
      }
      const trouble = await this.#copy(part, { beforeMs, ledgerRows });
      this.#alone.tell({ step: "checking", done: 0, total: undefined });
      const job = { kind: "prove_runs", part, ...begun, beforeMs, now: this.#clock.now() } as const;
      const { document, sha256 } = await this.#jobs.run(job, this.#alone.following);
      const bytes = statSync(part).size;
      await placeNewFile(part, file);
      this.#proved = sha256;
      return { ...written(file, { document, sha256 }), bytes, trouble, isOfOneNode };
    } catch (error) {
      throw explainNewFile(error, file, "archive");
    } finally {
      // Only its own: whoever has taken its place meanwhile writes the same file.
      await removePart(part).catch(() => {});
    }
  }

  async finishDropping(): Promise<KnownArchive | undefined> {
    const { archives } = this.#seals;
    // Nobody else writes there, and this process does not now.
    await removeLeavings(this.#ownFolder);
    const archive = await archives.unfinished();
    if (archive === undefined) return undefined;
    const hasRows = await archives.nextToDrop(archive.number, undefined) !== undefined;
    if (hasRows) await this.#requireFile(archive);
    if (!await archives.take(archive)) return undefined;
    await this.#drop(archive);
    return archive;
  }

  async dropArchived(): Promise<void> {
    await this.finishDropping();
  }

  async proveToRestore(archive: KnownArchive): Promise<void> {
    const { number, file } = archive;
    const away = (cause?: unknown) =>
      new GatewayError(
        "conflict",
        `Archive ${number} is not restored: ${
          whereabouts(archive)
        }. Bring it to the same path here`,
        { cause },
      );
    if (!await isInPlace(archive)) throw away();
    await this.#readWhole(file, away);
  }

  async restore(archive: KnownArchive): Promise<number> {
    const { MAINTENANCE } = await import("../database/maintenance.ts");
    using file = MAINTENANCE.archives.openRuns(archive.file);
    return await restoreRuns(archive, {
      file,
      seals: this.#seals,
      pause: restAsLong(this.#stopping.signal),
      onRows: (done) => {
        this.#alone.throwIfCancelled();
        this.#alone.tell({ step: "restoring", done, total: undefined });
      },
    });
  }

  async list(): Promise<readonly KnownArchive[]> {
    return await this.#seals.archives.list();
  }

  findCall(archive: KnownArchive, callId: number): Promise<ArchivedCall> {
    return findArchivedCall(archive, callId, this.#onDamage);
  }

  isInPlace(archive: KnownArchive): Promise<boolean> {
    return isInPlace(archive);
  }

  async stop(): Promise<void> {
    this.#stopping.abort(
      new GatewayError("shutting_down", "The gateway is stopping: archive again to go on"),
    );
    await this.#jobs.stop();
    await waitAtMost(STOP_PATIENCE_MS, this.#alone.ended());
  }

  get #ownFolder(): string {
    return `${this.#dataDir}/archives`;
  }

  /** As they were found just before, if they were looked for. */
  async #rowsBefore(beforeMs: number): Promise<number> {
    if (this.#looked?.beforeMs === beforeMs) return this.#looked.ledgerRows;
    return (await this.#seals.archives.outlook(beforeMs)).ledgerRows;
  }

  /**
   * What is dropped is nowhere but in the archive: this node has it, and it is whole. What another process
   * has proved may have been copied here since.
   *
   * @throws {ArchiveFileAway}
   */
  async #requireFile(archive: KnownArchive): Promise<void> {
    const { file, sha256 } = archive;
    if (!await isInPlace(archive)) throw new ArchiveFileAway(archive);
    if (this.#proved === sha256) return;
    await this.#readWhole(file, (cause) => new ArchiveFileAway(archive, cause));
    await makeLast(file);
    this.#proved = sha256;
  }

  /** A file that an earlier try has left: it is whole, and holds what is to be archived next. */
  async #takeUp(
    file: string,
    { number, previous, beforeMs }: BegunArchive & { readonly beforeMs: number },
  ): Promise<WrittenArchive> {
    const stated = await this.#readWhole(
      file,
      (cause) => new Deno.errors.AlreadyExists(file, { cause }),
    );
    const document = readRunArchive(stated.document);
    const isNext = document.number === number && document.previous === previous &&
      Date.parse(document.before) === beforeMs;
    if (!isNext) throw new Deno.errors.AlreadyExists(file);
    // Whoever has left it may have died before it was on the disk.
    await makeLast(file);
    this.#proved = stated.sha256;
    return { ...written(file, stated), bytes: statSync(file).size, trouble: undefined };
  }

  /**
   * What a file states, read from its first byte to its last.
   *
   * @param otherwise What is thrown where it is no archive, or not whole.
   */
  async #readWhole(file: string, otherwise: (cause: Error) => Error): Promise<ArchiveSeal> {
    try {
      return await this.#jobs.run({ kind: "take_up_runs", file }, this.#alone.following);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "StorageOpenError") throw error;
      throw otherwise(error);
    }
  }

  /** Copies what is as it was sealed; gives why the rest stays. */
  async #copy(
    part: string,
    { beforeMs, ledgerRows }: { readonly beforeMs: number; readonly ledgerRows: number },
  ): Promise<string | undefined> {
    const { archives } = this.#seals;
    const { MAINTENANCE } = await import("../database/maintenance.ts");
    const rest = restAsLong(this.#stopping.signal);
    let trouble: string | undefined;
    let after: BookPlace | undefined;
    let done = 0;
    let runs = 0;
    using writer = MAINTENANCE.archives.writeRuns(part);
    for (let run; (run = await archives.next(beforeMs, after)) !== undefined;) {
      const { book, afterSeq } = run;
      const seal = await fittingSeal(this.#seals, run);
      // Of one whose calls somebody has begun to delete not all would be there.
      if (seal === undefined || seal.isDropped === true) {
        trouble ??= `ledger_seals ${book}/${afterSeq} does not fit its rows`;
        after = { book, seq: Number.MAX_SAFE_INTEGER };
        continue;
      }
      await this.#copyRun(run, writer, async (rows) => {
        const before = done;
        done += rows;
        if (Math.floor(done / ROWS_PER_SYNC) > Math.floor(before / ROWS_PER_SYNC)) {
          await syncFile(part);
        }
        this.#alone.tell({ step: "copying", done, total: ledgerRows });
        await rest();
      });
      writer.addSeal(seal);
      after = { book, seq: afterSeq };
      runs++;
    }
    if (runs > 0) return trouble;
    throw new GatewayError("conflict", `Nothing can be archived: ${trouble ?? "nothing is left"}`);
  }

  async #copyRun(
    run: LedgerRun,
    writer: RunArchiveWriter,
    onRows: (rows: number) => Promise<void>,
  ): Promise<void> {
    for (let { afterSeq } = run; afterSeq < run.throughSeq;) {
      const rows = await this.#seals.readRaw({ ...run, afterSeq }, COPIED_ROWS);
      if (rows.throughSeq === undefined) return;
      writer.add(run.book, rows);
      afterSeq = rows.throughSeq;
      this.#alone.throwIfCancelled();
      await onRows(rows.ledger.length);
    }
  }

  /** Each run only while it is as it was sealed: what was altered stays, and is told by a check. */
  async #drop(archive: RunArchive): Promise<void> {
    const { archives, dropped } = this.#seals;
    const pause = restAsLong(this.#stopping.signal);
    let after: BookPlace | undefined;
    let done = 0;
    for (let run; (run = await archives.nextToDrop(archive.number, after)) !== undefined;) {
      const isAsSealed = await fittingSeal(this.#seals, run) !== undefined;
      if (isAsSealed) {
        await dropped.drop(run, { atOnce: DROPPED_ROWS, pause, archive: archive.number });
      }
      after = { book: run.book, seq: run.afterSeq };
      done += run.throughSeq - run.afterSeq;
      this.#alone.tell({ step: "dropping", done, total: undefined });
    }
    await archives.finish(archive.number);
  }
}

function written(file: string, { document, sha256 }: ArchiveSeal) {
  const archive = runArchiveOf(readRunArchive(document), { file, sha256 });
  return { archive, entry: { kind: "record_run_archive", archive, document } as const };
}
