/**
 * The part of the check that looks at checkpoints: whether each is as it was written and
 * follows the one before, and whether the references of its credits are all there.
 *
 * @module
 */

import { createHash } from "node:crypto";
import {
  type Checkpoint,
  type CheckpointDocument,
  checkpointOf,
  type KeptReference,
  readCheckpointDocument,
} from "../../domain/checkpoint.ts";
import type { AmountE8 } from "../../domain/money.ts";
import type { CheckpointStore } from "../../storage/ports/storage.ts";
import { ArchivedSums } from "./archived_sums.ts";
import type { Differences } from "../base/findings.ts";

const DAY_MS = 86_400_000;

/** Where a ledger begins. */
export interface LedgerStart {
  /** The last row that is archived; 0 when none is. */
  readonly lastSeq: number;
  /** What each project's rows go on from; one that is missing begins with nothing. */
  readonly balances: ReadonlyMap<string, AmountE8>;
  /** Hours since the epoch: of earlier ones, sums are kept by day. */
  readonly firstHour: number;
  /** What the archives state; `undefined` where that cannot be believed. */
  readonly archived: ArchivedSums | undefined;
}

/** A ledger of which nothing is archived. */
export const FROM_THE_BEGINNING: LedgerStart = {
  lastSeq: 0,
  balances: new Map(),
  firstHour: 0,
  archived: new ArchivedSums(),
};

/** SHA-256 of a checkpoint's document. */
export function hashDocument(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** SHA-256 of the references that stay of archived credits, whatever order they come in. */
export function sumReferences(references: readonly KeptReference[]): string {
  const lines = references.map(({ projectId, reference, amountE8 }) =>
    JSON.stringify([projectId, reference, String(amountE8)])
  );
  return createHash("sha256").update(lines.sort().join("\n")).digest("hex");
}

/** The balances that a checkpoint's rows end with. */
export function closingBalances({ projects }: CheckpointDocument): Map<string, AmountE8> {
  return new Map(
    Object.entries(projects).map(([id, { closing_e8 }]) => [id, BigInt(closing_e8)]),
  );
}

/** Checks every checkpoint; gives where the live ledger begins. */
export async function checkCheckpoints(
  stored: CheckpointStore,
  differences: Differences,
): Promise<{ readonly start: LedgerStart; readonly checkpoints: readonly Checkpoint[] }> {
  const checkpoints = await stored.list();
  let start: LedgerStart = FROM_THE_BEGINNING;
  const archived = new ArchivedSums();
  let isBelieved = true;
  let previous: string | null = null;
  for (const [index, checkpoint] of checkpoints.entries()) {
    const text: string = await stored.document(checkpoint.number) ?? "";
    const report = (column: string | null, detail: string) =>
      differences.note(["checkpoints", checkpoint.number], detail, { column });
    const document = readIntact(checkpoint, text);
    if (checkpoint.number !== index + 1) report("number", "a checkpoint before it is missing");
    if (document === undefined) {
      report(null, "the checkpoint was altered: its hash does not fit what it states");
      start = { ...start, lastSeq: checkpoint.lastSeq };
      isBelieved = false;
    } else {
      archived.add(document);
      if (document.previous !== previous || document.from_seq !== start.lastSeq + 1) {
        report("document", "the checkpoint does not follow the one before it");
      }
      const references = await stored.references(checkpoint.number);
      if (sumReferences(references) !== document.references_sha256) {
        report("references", "its credits had other references than those that are kept");
      }
      start = {
        ...start,
        lastSeq: checkpoint.lastSeq,
        balances: closingBalances(document),
      };
    }
    start = { ...start, firstHour: Math.floor(checkpoint.beforeMs / DAY_MS) * 24 };
    previous = checkpoint.sha256;
  }
  return { start: { ...start, archived: isBelieved ? archived : undefined }, checkpoints };
}

/** What a checkpoint states, if its hash and its columns say the same. */
function readIntact(checkpoint: Checkpoint, text: string): CheckpointDocument | undefined {
  if (hashDocument(text) !== checkpoint.sha256) return undefined;
  const document = readCheckpointDocument(text);
  const stated = checkpointOf(document, checkpoint);
  return JSON.stringify(stated) === JSON.stringify(checkpoint) ? document : undefined;
}
