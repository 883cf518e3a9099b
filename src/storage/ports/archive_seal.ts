/**
 * The words of an archive about itself, hashed.
 *
 * @module
 */

/** What an archive states of itself: JSON, and its SHA-256. */
export interface ArchiveSeal {
  readonly document: string;
  readonly sha256: string;
}
