/**
 * A file that came with a request, on the disk.
 *
 * @module
 */

/** What is told of it. */
export interface SpooledFacts {
  readonly path: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** As its sender calls it, without folders; may be empty. */
  readonly filename: string;
  /** A media type in lower case; `undefined` where its sender told none. */
  readonly contentType: string | undefined;
}

/** Whole, and there until its request is over, unless it is taken to another place before. */
export class SpooledFile implements SpooledFacts {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly filename: string;
  readonly contentType: string | undefined;

  constructor({ path, bytes, sha256, filename, contentType }: SpooledFacts) {
    this.path = path;
    this.bytes = bytes;
    this.sha256 = sha256;
    this.filename = filename;
    this.contentType = contentType;
  }
}
