/**
 * Where what calls said is kept, packed: files of the data dir, or a bucket that several nodes reach.
 *
 * @module
 */

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
/** Disks give out room in blocks: a small file takes one. */
const BLOCK_BYTES = 4_096;
/** What is taken away once a project's are too many, so that not every call looks for the oldest. */
export const LEAVES_SHARE = 0.95;

/** Which call. */
export interface PlacedCall {
  readonly projectId: string;
  readonly requestId: string;
  /** When it arrived, milliseconds since the epoch. */
  readonly at: number;
}

/** A call to be kept. */
export interface CallToKeep extends PlacedCall {
  /** For so many days, whatever becomes of its project's setting. */
  readonly days: number;
  /** What all of its project may take. */
  readonly mostBytes: number;
  /** Whether its project was forgotten meanwhile: then it is not kept. */
  readonly isForgotten: () => boolean;
}

/** What is kept of a call, packed, and until when. */
export interface PlacedPrompt {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Bytes here are those of the disk, in whole blocks. */
export interface PromptPlace {
  /** So many are written at one time. */
  readonly atOnce: number;
  /** How often to remove what has been kept long enough. */
  readonly reapEveryMs: number;
  /** Whether it takes nothing more: every write is broken off. */
  readonly hasEnded: boolean;
  /** Whoever reads waits so long for what is on its way; `undefined`: until it is there. */
  readonly patienceMs: number | undefined;
  /** Keeps it whole or not at all, and has the oldest of its project make way. */
  write(call: CallToKeep, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** What is kept of a call that began about then; `undefined` for nothing. */
  read(call: PlacedCall): Promise<PlacedPrompt | undefined>;
  /**
   * Removes what was kept for its days, or for fewer that its project now has; where something cannot be
   * removed, all the rest before it rejects.
   */
  expire(now: number, daysOf: (projectId: string) => number | undefined): Promise<void>;
  /**
   * Removes all of a project that arrived until now, by the own clock, and gives how many bytes that
   * were. Nobody is shown any of it from then on.
   */
  forget(projectId: string, now: number): Promise<number>;
  /** Ends what is done in the background; resolves when nothing is any more. */
  stop(): Promise<void>;
  /** What to tell of an error of these, without an address or a path. */
  troubleOf(error: unknown): string;
}

/** The hour of a time, as names have it: `2026082114`. */
export function hourText(at: number): string {
  return new Date(at).toISOString().slice(0, 13).replaceAll(/\D/g, "");
}

/** Under which hours a call may be: its row may have another millisecond, and so another hour. */
export function hoursAbout(at: number): readonly string[] {
  return [at, at - HOUR_MS, at + HOUR_MS].map(hourText);
}

/** The end of an hour, in milliseconds since the epoch. */
export function endOfHour(year: number, month: number, day: number, hour: number): number {
  return Date.UTC(year, month - 1, day, hour) + HOUR_MS;
}

/** What so many bytes take of a disk. */
export function blocksOf(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}
