/**
 * Writes an archive and proves it before it gets its name. Nothing of the database changes.
 *
 * @module
 */

import { statSync } from "node:fs";
import {
  type Checkpoint,
  type CheckpointDocument,
  checkpointOf,
  readCheckpointDocument,
} from "../../domain/checkpoint.ts";
import type { AmountE8 } from "../../domain/money.ts";
import type { WrittenCheckpoint } from "../../admin/base/archive_report.ts";
import type { WorkProgress } from "../../admin/base/work_progress.ts";
import { checkArchive, checkArchivedRows } from "../../admin/archives/check_archive.ts";
import { closingBalances, hashDocument } from "../../admin/ledger_check/check_checkpoints.ts";
import type { ArchiveSource } from "../../storage/ports/archives.ts";
import { StorageOpenError } from "../../storage/ports/storage_open_error.ts";
import { exists, makeLast, placeNewFile } from "../../files/place_new_file.ts";
import { restAsLong } from "../jobs/rest_as_long.ts";
import type { JobOf } from "../jobs/worker_protocol.ts";
import { MAINTENANCE } from "../database/maintenance.ts";

type WriteArchiveOptions = JobOf<"archive"> & {
  readonly onProgress: (progress: WorkProgress) => void;
};

/** The archive that is before the one to come. */
interface Predecessor {
  readonly number: number;
  readonly sha256: string | null;
  readonly lastSeq: number;
  readonly balances: ReadonlyMap<string, AmountE8>;
}

/**
 * Writes an archive of the rows before a time, or takes the file that an earlier try has
 * left, if that is the same. Blocks this thread.
 *
 * @throws {Deno.errors.AlreadyExists} When there is another file of that name.
 * @throws {StorageOpenError} When the books do not add up, or what was written is not the same.
 * @throws {Error} The system's or the driver's.
 */
export async function writeArchive(options: WriteArchiveOptions): Promise<WrittenCheckpoint> {
  const { part, file, beforeMs, onStep } = options;
  using source = MAINTENANCE.archives.source(options.database);
  const before = readPredecessor(source);
  const rest = restAsLong();
  const pause = () => {
    onStep();
    return rest();
  };
  if (await exists(file)) return await takeUp(file, { source, before, beforeMs, pause });
  const range = source.rangeBefore(beforeMs);
  if (range === undefined) throw new StorageOpenError("There is nothing to archive");
  const of = range.toSeq - range.fromSeq + 1;
  await source.copyRows({
    range,
    part,
    pause,
    onCopied: (done) => options.onProgress({ step: "copying", done, total: of }),
  });
  options.onProgress({ step: "checking", done: 0, total: undefined });
  const facts = await proveRows(part, before, pause);
  const document: CheckpointDocument = {
    number: before.number + 1,
    previous: before.sha256,
    before: new Date(beforeMs).toISOString(),
    written_at: new Date(options.now).toISOString(),
    ...facts,
  };
  const text = JSON.stringify(document);
  MAINTENANCE.archives.seal(part, { document: text, sha256: hashDocument(text) });
  options.onProgress({ step: "comparing", done: 0, total: undefined });
  const written = await proveWhole(part, { source, pause });
  onStep();
  await placeNewFile(part, file);
  return { ...written, checkpoint: { ...written.checkpoint, file } };
}

function readPredecessor(source: ArchiveSource): Predecessor {
  const seal = source.lastSeal();
  if (seal === undefined) return { number: 0, sha256: null, lastSeq: 0, balances: new Map() };
  const document = readCheckpointDocument(seal.document);
  return {
    number: document.number,
    sha256: seal.sha256,
    lastSeq: document.to_seq,
    balances: closingBalances(document),
  };
}

/** What follows from the copied rows, if they add up. */
async function proveRows(part: string, before: Predecessor, pause: () => Promise<void>) {
  using archive = MAINTENANCE.archives.open(part);
  const { facts, differences, omitted } = await checkArchivedRows(archive, {
    opening: before.balances,
    fromSeq: before.lastSeq + 1,
    pause,
  });
  const count = differences.length + omitted;
  if (count === 0) return facts;
  const { table, id, detail } = differences[0]!;
  throw new StorageOpenError(
    `the books do not add up, and what is wrong would be archived: ${count} differences, such as ${table} ${id}: ${detail}. See tollgate ledger verify`,
  );
}

/** Reads a finished archive again, and compares each of its rows with the database's. */
async function proveWhole(
  path: string,
  { source, pause }: { readonly source: ArchiveSource; readonly pause: () => Promise<void> },
): Promise<WrittenCheckpoint> {
  using archive = MAINTENANCE.archives.open(path);
  archive.checkPages();
  const seal = archive.seal();
  const checked = await checkArchive(archive, pause);
  if (seal === undefined || checked === undefined || checked.differences.length > 0) {
    throw new StorageOpenError(`the archive ${path} is not what was written`);
  }
  await source.compare(path, pause);
  const checkpoint: Checkpoint = checkpointOf(checked.document!, {
    file: path,
    sha256: seal.sha256,
  });
  return { checkpoint, document: seal.document, bytes: statSync(path).size };
}

/** A file that an earlier try has left: it is whole, and holds just what is to be archived next. */
async function takeUp(
  file: string,
  { source, before, beforeMs, pause }: {
    readonly source: ArchiveSource;
    readonly before: Predecessor;
    readonly beforeMs: number;
    readonly pause: () => Promise<void>;
  },
): Promise<WrittenCheckpoint> {
  let written: WrittenCheckpoint;
  try {
    written = await proveWhole(file, { source, pause });
  } catch (error) {
    if (!(error instanceof StorageOpenError)) throw error;
    throw new Deno.errors.AlreadyExists(file, { cause: error });
  }
  const { number, previous } = readCheckpointDocument(written.document);
  const isNext = number === before.number + 1 && previous === before.sha256 &&
    written.checkpoint.beforeMs === beforeMs;
  if (!isNext) throw new Deno.errors.AlreadyExists(file);
  // Whoever has left it may have died before it was on the disk.
  await makeLast(file);
  return written;
}
