/**
 * Notes an archive that is whole, with the runs that it has: from then on these may be dropped. Until
 * one is, the note may be taken back; what was dropped may be put back.
 *
 * @module
 */

import { readRunArchive } from "../../domain/run_archive.ts";
import { conflict, DONE, EntryRefused } from "../entries/entry_results.ts";
import type { EntryResult } from "../ports/entry.ts";
import type { EntryOf } from "./applier.ts";
import type { Ask } from "./ask.ts";
import type { Batch } from "./batch.ts";
import { IS_LEFT } from "./run_archives.ts";

/**
 * All of it or nothing.
 *
 * @throws {EntryRefused} Where a run of it is not as it was when it was read: dropped, or sealed anew.
 */
export async function applyRunArchive(
  { session }: Pick<Batch, "session">,
  { archive, document }: EntryOf<"record_run_archive">,
  ask: Ask,
): Promise<EntryResult> {
  const { number, beforeMs, calls, firstCallId, lastCallId, file, sha256 } = archive;
  const noted = await ask.run(
    `UPDATE run_archives SET state = 1, before_at = ?, calls = ?, first_call_id = ?,
       last_call_id = ?, file = ?, document = ?, sha256 = ?
     WHERE number = ? AND state = 0 AND session_id = ?`,
    ...[beforeMs, calls, firstCallId, lastCallId, file, document, sha256, number, session],
  );
  if (noted !== 1) return conflict("Another node has gone on with archiving meanwhile");
  const { runs } = readRunArchive(document);
  const listed = runs.map(([book, after_seq, sha256]) => ({ book, after_seq, sha256 }));
  const marked = await ask.run(
    `UPDATE ledger_seals SET archive = ?
     FROM json_to_recordset(?::text::json) AS one (book bigint, after_seq bigint, sha256 text)
     WHERE ledger_seals.book = one.book AND ledger_seals.after_seq = one.after_seq
       AND ledger_seals.sha256 = one.sha256 AND dropped = 0 AND archive IS NULL`,
    number,
    JSON.stringify(listed),
  );
  if (marked === runs.length) return DONE;
  throw new EntryRefused(
    conflict(
      `Of ${runs.length} runs that archive ${number} has, ${runs.length - marked} are dropped ` +
        "or archived meanwhile",
    ),
  );
}

/**
 * All of it or nothing. Whoever begins to drop a run of it meanwhile is before this, or finds that the run
 * is of no archive. Where a part is dropped and that loss is accepted, the archive is done with what it has
 * of that part; of a run that was being dropped, what is left stays in the database for good.
 *
 * @throws {EntryRefused} Where a run of it has begun to be dropped, and the loss is not accepted.
 */
export async function applyGiveUp(
  { session }: Pick<Batch, "session">,
  { number, acceptsLoss }: EntryOf<"give_up_run_archive">,
  ask: Ask,
): Promise<EntryResult> {
  const held = await ask.run(
    `UPDATE run_archives SET state = 2
     WHERE number = ? AND state = 1 AND (session_id = ? OR ${IS_LEFT})`,
    number,
    session,
  );
  if (held !== 1) {
    return conflict(
      `Archive ${number} is not there, is done, or is another node's to be dropped: ` +
        "there is nothing to give up",
    );
  }
  await ask.run("UPDATE ledger_seals SET archive = NULL WHERE archive = ? AND dropped = 0", number);
  const begun = await ask.run(
    "UPDATE ledger_seals SET dropped = 2 WHERE archive = ? AND dropped > 0",
    number,
  );
  if (begun === 0) {
    await ask.run("DELETE FROM run_archives WHERE number = ?", number);
  } else if (!acceptsLoss) {
    throw new EntryRefused(
      conflict(
        `A part of archive ${number} is dropped, and its file has the only copy of those calls. If it is ` +
          `lost for good, go on without: tollgate calls archive --give-up ${number} --accept-loss`,
      ),
    );
  }
  return DONE;
}

/** Runs that are being put back have the number of their archive below zero, and nobody drops those. */
export async function applyRestore(
  { number }: EntryOf<"restore_run_archive">,
  ask: Ask,
): Promise<EntryResult> {
  const found = await ask.get(
    `SELECT (SELECT max(number) FROM run_archives) AS last,
       (SELECT count(*) FROM run_archives WHERE number = ?1 AND state = 2) AS done`,
    number,
  );
  if (found!.done === 0) {
    return conflict(
      `Archive ${number} is not there, or its rows are not all dropped: archive again`,
    );
  }
  if (found!.last !== number) {
    return conflict(
      `Archive ${found!.last as number} follows archive ${number}: restore that one first`,
    );
  }
  // Waits for whoever drops rows of them, who then finds that they are not to be dropped.
  await ask.run(
    `UPDATE ledger_seals SET archive = CASE WHEN dropped = 0 THEN NULL ELSE -archive END,
       dropped = least(dropped, 1)
     WHERE archive = ?`,
    number,
  );
  return DONE;
}
