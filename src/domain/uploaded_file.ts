/**
 * Files that a project has uploaded, or that were made for it, to be asked for by their ids.
 *
 * @module
 */

/** What a file may be for, in OpenAI's words. */
export const FILE_PURPOSES = [
  "assistants",
  "batch",
  "fine-tune",
  "vision",
  "user_data",
  "evals",
] as const;

/** What a caller says that its file is for. */
export type FilePurpose = typeof FILE_PURPOSES[number];

/** A file that is kept. Times are milliseconds since the epoch. */
export interface UploadedFile {
  /** `file-` and 26 characters of base32: 130 random bits. */
  readonly id: string;
  readonly projectId: string;
  /** The caller's word, or `batch_output` of what a batch has made. */
  readonly purpose: FilePurpose | "batch_output";
  /** As its sender calls it. */
  readonly filename: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly createdAt: number;
  /** When it is removed; `undefined` for never. */
  readonly expiresAt: number | undefined;
  /** Where it is in the bucket; `undefined`: in the data dir of the process that took it. */
  readonly objectKey?: string | undefined;
}

/** Whether it is in a bucket. */
export function hasKey(
  file: UploadedFile,
): file is UploadedFile & { readonly objectKey: string } {
  return file.objectKey !== undefined;
}

/** What a file's id looks like: anything else is not looked for. */
export const FILE_ID = /^file-[a-z2-7]{26}$/;
