/**
 * A film as it comes in: counted, so that one that is cut, or longer than it
 * says, is noticed whatever the framing of its answer.
 *
 * @module
 */

import { MAX_CONTENT_BYTES } from "../../domain/max_content_bytes.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { VideoContent } from "../contract/video_upstream.ts";
import type { UpstreamResponse } from "../transport/contract.ts";

/** What is known of a film before its first byte. */
export interface ContentFacts {
  readonly from: number;
  readonly totalBytes: number | undefined;
  readonly etag: string | undefined;
  /** Longest wait for more, milliseconds. */
  readonly idleMs: number;
}

/** The body of an answer as a film. */
export class ReceivedContent implements VideoContent {
  readonly from: number;
  readonly totalBytes: number | undefined;
  readonly etag: string | undefined;
  readonly #response: UpstreamResponse;
  readonly #idleMs: number;
  /** Offset of the next byte. */
  #at: number;

  constructor(response: UpstreamResponse, facts: ContentFacts) {
    this.#response = response;
    this.from = facts.from;
    this.totalBytes = facts.totalBytes;
    this.etag = facts.etag;
    this.#idleMs = facts.idleMs;
    this.#at = facts.from;
  }

  async read(): Promise<Uint8Array | undefined> {
    const bytes = await this.#response.read(this.#idleMs);
    const { totalBytes } = this;
    if (bytes === undefined) {
      if (totalBytes === undefined || this.#at === totalBytes) return undefined;
      throw new UpstreamError(
        "broken",
        `The upstream's film ended after ${this.#at} of ${totalBytes} bytes`,
      );
    }
    this.#at += bytes.length;
    const limit = totalBytes ?? MAX_CONTENT_BYTES;
    if (this.#at <= limit) return bytes;
    this.#response.close();
    throw new UpstreamError("broken", `The upstream's film is longer than ${limit} bytes`);
  }

  close(): void {
    this.#response.close();
  }
}
