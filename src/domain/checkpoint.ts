/**
 * Where the live ledger begins, once older calls are archived: what was archived, and
 * the balances that the live rows go on from.
 *
 * @module
 */

/** What the archived calls of a project add up to, whole numbers. */
export interface ArchivedUsage {
  readonly calls: string;
  readonly prompt_tokens: string;
  readonly completion_tokens: string;
  readonly cost_e8: string;
  readonly sale_e8: string;
}

/** What the archived rows of a project add up to: opening + credited - charged = closing. */
export interface ArchivedProject {
  readonly opening_e8: string;
  readonly credited_e8: string;
  readonly charged_e8: string;
  readonly lost_e8: string;
  /** Available and held together. */
  readonly closing_e8: string;
  /** Absent in archives of format 1. */
  readonly usage?: ArchivedUsage;
}

/**
 * What a checkpoint states, as it is written, hashed and stored: in the database and, the
 * same text, in the archive that it belongs to. Amounts are in units of 1e-8, times ISO 8601.
 */
export interface CheckpointDocument {
  /** 1, 2, 3 …: the archives of a database follow each other. */
  readonly number: number;
  /** SHA-256 of the document before; `null` for the first. */
  readonly previous: string | null;
  /** Every row in it is of an earlier time. */
  readonly before: string;
  readonly written_at: string;
  /** The ledger rows that were archived, both included. */
  readonly from_seq: number;
  readonly to_seq: number;
  readonly calls: number;
  /** 0 when there are none. */
  readonly first_call_id: number;
  readonly last_call_id: number;
  readonly price_versions: number;
  /** References of credits, which stay in the database: how many, and SHA-256 of all. */
  readonly references: number;
  readonly references_sha256: string;
  readonly cost_e8: string;
  readonly sale_e8: string;
  /** SHA-256 of every value of every row. */
  readonly content_sha256: string;
  /** Every project that ever had a ledger row, by id. */
  readonly projects: { readonly [id: string]: ArchivedProject };
}

/** A checkpoint as it is stored with the ledger. */
export interface Checkpoint {
  readonly number: number;
  /** The last ledger row that is archived. */
  readonly lastSeq: number;
  readonly firstCallId: number;
  readonly lastCallId: number;
  readonly calls: number;
  /** Milliseconds since the epoch: every archived row is of an earlier time. */
  readonly beforeMs: number;
  /** Where the archive was written: it may be elsewhere now. */
  readonly file: string;
  /** SHA-256 of the document. */
  readonly sha256: string;
}

/** A credit's reference that outlives its ledger row, so that the credit stays safe to repeat. */
export interface KeptReference {
  readonly projectId: string;
  readonly reference: string;
  readonly amountE8: bigint;
}

/** Reads a document, whose hash tells whether it is the one that was written. */
export function readCheckpointDocument(text: string): CheckpointDocument {
  return JSON.parse(text) as CheckpointDocument;
}

/** The checkpoint that a document states. */
export function checkpointOf(
  document: CheckpointDocument,
  { file, sha256 }: Pick<Checkpoint, "file" | "sha256">,
): Checkpoint {
  return {
    number: document.number,
    lastSeq: document.to_seq,
    firstCallId: document.first_call_id,
    lastCallId: document.last_call_id,
    calls: document.calls,
    beforeMs: Date.parse(document.before),
    file,
    sha256,
  };
}
