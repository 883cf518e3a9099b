/**
 * Lists of batches, page by page, and what is known of their lines.
 *
 * @module
 */

/** A page of batches, newest first. */
export interface BatchPage {
  /** `undefined` for all projects. */
  readonly projectId: string | undefined;
  /** Id of the batch that the page comes after. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Which lines wait to be written to their files. */
export interface WaitingLines {
  readonly batchId: string;
  /** Only lines behind this one; 0 for all. */
  readonly after: number;
  readonly limit: number;
  /** Of their texts together; at least one line is given. */
  readonly mostCharacters: number;
}
