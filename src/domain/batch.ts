/**
 * Batches: many requests of one file, each an ordinary call, whose answers are a file too.
 *
 * @module
 */

/** OpenAI's words. */
export type BatchStatus =
  | "validating"
  | "in_progress"
  | "cancelling"
  | "finalizing"
  | "failed"
  | "completed"
  | "expired"
  | "cancelled";

/** Whether the outcome of a batch is open. */
export function isOpenBatch({ status }: Pick<Batch, "status">): boolean {
  return OPEN.has(status);
}

const OPEN: ReadonlySet<BatchStatus> = new Set([
  "validating",
  "in_progress",
  "cancelling",
  "finalizing",
]);

/** What is wrong with a batch. */
export interface BatchFault {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  /** Of the input file, from 1. */
  readonly line: number | null;
}

/** Tokens that its calls have used. */
export interface BatchUsage {
  readonly inputTokens: number;
  /** Part of the input. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Part of the output. */
  readonly reasoningTokens: number;
}

/** No tokens. */
export const NO_BATCH_USAGE: BatchUsage = {
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

/** Lines of a batch by what became of them, and what they used. */
export interface BatchCounts {
  readonly completed: number;
  readonly failed: number;
  readonly usage: BatchUsage;
}

/** What a batch is from its beginning. */
export interface BatchOrigin {
  /** `batch_` and 26 characters of base32: 130 random bits. */
  readonly id: string;
  readonly projectId: string;
  /** Whose calls its lines are. */
  readonly keyId: string;
  /** Path of the API that each line asks for, such as `/v1/chat/completions`. */
  readonly endpoint: string;
  readonly inputFileId: string;
  /** As its caller wrote it. */
  readonly completionWindow: string;
  readonly metadata: { readonly [name: string]: string } | undefined;
  /** How long what it makes is kept, from then on; `undefined` for the default. */
  readonly outputSeconds: number | undefined;
  /** Names of the files that it writes, told when they are whole. */
  readonly outputFileId: string;
  readonly errorFileId: string;
  readonly createdAt: number;
  /** When lines that were not asked expire. */
  readonly expiresAt: number;
}

/** A batch. Times are milliseconds since the epoch. */
export interface Batch extends BatchOrigin {
  readonly status: BatchStatus;
  /** The model that its first line names. */
  readonly model: string | undefined;
  /** Lines of its file, once it is checked. */
  readonly total: number;
  /** As of the last time that its answers went to the files; of one that has ended, all. */
  readonly counts: BatchCounts;
  /** Bytes of each file that hold for good. */
  readonly outputBytes: number;
  readonly errorBytes: number;
  readonly faults: readonly BatchFault[];
  readonly inProgressAt: number | undefined;
  readonly cancellingAt: number | undefined;
  readonly finalizingAt: number | undefined;
  /** When it ended, whatever became of it. */
  readonly endedAt: number | undefined;
}

/** What became of one line. */
export interface BatchLine {
  readonly batchId: string;
  /** Of the input file, from 1. */
  readonly line: number;
  /** Whether it goes to the file of errors. */
  readonly isFailed: boolean;
  /** A line of the file, without its end. */
  readonly text: string;
  readonly usage: BatchUsage;
}

/** What a batch's id looks like: anything else is not looked for. */
export const BATCH_ID = /^batch_[a-z2-7]{26}$/;
