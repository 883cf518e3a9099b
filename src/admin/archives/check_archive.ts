/**
 * The check of an archive by itself: re-adds every balance from what it began with,
 * reprices every call, looks for altered rows, and compares all with what it states.
 *
 * @module
 */

import { MAIN_BOOK } from "../../domain/book.ts";
import type { LedgerRow, StoredCall } from "../../domain/call.ts";
import { type CheckpointDocument, readCheckpointDocument } from "../../domain/checkpoint.ts";
import type { AmountE8 } from "../../domain/money.ts";
import type { PriceVersion } from "../../domain/price.ts";
import type { AlteredRow } from "../../storage/ports/books.ts";
import { CallPass } from "../ledger_check/call_pass.ts";
import { FROM_THE_BEGINNING, hashDocument } from "../ledger_check/check_checkpoints.ts";
import { CHECKED_TABLES, checkRowSums, readSlices } from "../ledger_check/check_rows.ts";
import { type Difference, differenceOf, Differences } from "../base/findings.ts";
import { LedgerPass } from "../ledger_check/ledger_pass.ts";
import { type ArchiveFacts, ArchiveTally } from "./archive_tally.ts";

/** An archive as it is read. */
export interface ArchivedBooks {
  /** What it states of itself; `undefined` when its writing was broken off. */
  seal(): { readonly document: string; readonly sha256: string } | undefined;
  readonly ledger: {
    slice(afterSeq: number, limit: number): readonly LedgerRow[];
    alteredRows(
      table: "calls" | "ledger" | "price_versions",
      after: number,
      limit: number,
    ): { readonly altered: readonly AlteredRow[]; readonly next: number | undefined };
  };
  calls(afterCallId: number, limit: number): readonly StoredCall[];
  priceVersions(versions: readonly number[]): readonly PriceVersion[];
  count(table: "price_versions"): number;
  hashContent(onStep: () => Promise<void>): Promise<string>;
}

/** What the check found. */
export interface ArchiveFindings {
  /** Empty when everything adds up. */
  readonly differences: readonly Difference[];
  /** Further differences that are not listed. */
  readonly omitted: number;
  /** What follows from the rows, whatever is stated. */
  readonly facts: ArchiveFacts;
}

/** What an archive is checked against. */
export interface ArchiveCheckOptions {
  /** What its projects began with, and which row comes first. */
  readonly opening: ReadonlyMap<string, AmountE8>;
  readonly fromSeq: number;
  /** Waits between two slices. */
  readonly pause: () => Promise<void>;
}

const SLICE = 2_000;
const MOST_LISTED = 1_000;

/** Reads every row, and what follows from them; says nothing of what the archive states. */
export async function checkArchivedRows(
  archive: ArchivedBooks,
  { opening, fromSeq, pause }: ArchiveCheckOptions,
): Promise<ArchiveFindings & { readonly found: Differences; readonly latestAt: number }> {
  const found = new Differences(MOST_LISTED);
  const calls = { slice: (after: number, limit: number) => promised(archive.calls(after, limit)) };
  const tally = new ArchiveTally();
  const start = { ...FROM_THE_BEGINNING, lastSeq: fromSeq - 1, balances: opening };
  const ledgerPass = new LedgerPass(calls, found, { start });
  await readSlices({
    slice: SLICE,
    read: () => archive.ledger.slice(ledgerPass.lastSeqOf(MAIN_BOOK), SLICE),
    async take(rows) {
      for (const row of rows) tally.addRow(row);
      await ledgerPass.take(rows);
    },
    pause,
  });
  const prices = {
    priceVersions: (versions: readonly number[]) => promised(archive.priceVersions(versions)),
  };
  const callPass = new CallPass(prices, { ledger: ledgerPass, differences: found });
  await readSlices({
    slice: SLICE,
    read: () => archive.calls(callPass.lastCallId, SLICE),
    async take(rows) {
      for (const call of rows) tally.addCall(call);
      await callPass.take(rows);
    },
    pause,
  });
  callPass.finish();
  const sums = {
    alteredRows: (...query: Parameters<ArchivedBooks["ledger"]["alteredRows"]>) =>
      promised(archive.ledger.alteredRows(...query)),
  };
  await checkRowSums(sums, CHECKED_TABLES, { differences: found, slice: SLICE, pause });
  const facts = tally.facts(opening, {
    price_versions: archive.count("price_versions"),
    content_sha256: await archive.hashContent(pause),
  });
  for (const [id, { closing_e8 }] of Object.entries(facts.projects)) {
    // Decides what is still open about the last row of each project.
    ledgerPass.total(id, BigInt(closing_e8));
  }
  return {
    found,
    latestAt: tally.latestAt,
    facts,
    differences: found.list,
    omitted: found.omitted,
  };
}

/** What was found of an archive and what it states, which is not believed if it was altered. */
export interface ArchiveCheck extends Omit<ArchiveFindings, "facts"> {
  readonly document: CheckpointDocument | undefined;
}

/** Checks an archive from its first row to what it states; `undefined` when it states nothing. */
export async function checkArchive(
  archive: ArchivedBooks,
  pause: () => Promise<void>,
): Promise<ArchiveCheck | undefined> {
  const seal = archive.seal();
  if (seal === undefined) return undefined;
  if (hashDocument(seal.document) !== seal.sha256) return ALTERED;
  const document = readCheckpointDocument(seal.document);
  const opening = new Map(
    Object.entries(document.projects).map(([id, { opening_e8 }]) => [id, BigInt(opening_e8)]),
  );
  const checked = await checkArchivedRows(archive, { opening, fromSeq: document.from_seq, pause });
  const { found, facts, latestAt } = checked;
  const report = (column: string | null, detail: string) =>
    found.note(["checkpoints", document.number], detail, { column });
  const stated = { ...facts, projects: asStated(facts.projects, document.projects) };
  if (latestAt >= Date.parse(document.before)) report("before", "it has a row of a later time");
  for (const name of Object.keys(facts) as (keyof ArchiveFacts)[]) {
    if (JSON.stringify(stated[name]) === JSON.stringify(document[name])) continue;
    report(name, "its rows say otherwise");
  }
  return { differences: found.list, omitted: found.omitted, document };
}

/** Archives of format 1 do not state usage by project. */
function asStated(
  facts: CheckpointDocument["projects"],
  stated: CheckpointDocument["projects"],
): CheckpointDocument["projects"] {
  return Object.fromEntries(
    Object.entries(facts).map(([id, { usage, ...money }]) => [
      id,
      stated[id]?.usage === undefined ? money : { ...money, usage },
    ]),
  );
}

/** Nothing that it states can be believed, so that there is nothing to compare its rows with. */
const ALTERED: ArchiveCheck = {
  differences: [
    differenceOf(
      ["checkpoints", "archive"],
      "what the archive states was altered: its hash does not fit",
    ),
  ],
  omitted: 0,
  document: undefined,
};

function promised<Value>(value: Value): Promise<Value> {
  return Promise.resolve(value);
}
