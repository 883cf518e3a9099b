/**
 * Fetches the film of a completed job, going on where a cut download stopped.
 *
 * @module
 */

import { MAX_CONTENT_BYTES } from "../../domain/video_size.ts";
import { GatewayError } from "../../errors.ts";
import type { VideoContent } from "../../providers/contract/video_upstream.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Attempt } from "../task/attempt.ts";
import type { PartFile } from "../../files/part_file.ts";
import { type AttemptEnd, STOPPED } from "./executor.ts";
import { isDiskFull } from "../../files/disk_full.ts";
import type { ContentFacts } from "./paused_downloads.ts";
import {
  asUpstreamError,
  backoffMs,
  type JobAtUpstream,
  type UpstreamExecutorOptions,
  type UpstreamWork,
} from "./upstream_work.ts";

/** Tries in a row that brought nothing. */
const MOST_EMPTY_TRIES = 5;
/** Tries altogether. */
const MOST_TRIES = 100;
/** Some upstreams say `completed` a little before the film can be fetched. */
const MOST_NOT_YET = 30;
const NOT_YET_MS = 2_000;
/** So much is written between two looks at the disk. */
const LOOK_EVERY_BYTES = 1024 ** 2;
/** Where an MP4 file names its first box. */
const BOX_NAME_START = 4;
const BOX_NAME_END = 8;

/** The film in its part, or why it could not be fetched. */
export async function downloadContent(
  options: UpstreamWork,
  attempt: Attempt,
  work: JobAtUpstream,
): Promise<AttemptEnd> {
  const { files, paused } = options;
  const begun = await paused.resume(attempt.task);
  const part = begun?.part ?? await files.openPart(attempt.task.id);
  const download = new Download(options, { attempt, work, part, facts: begun?.facts });
  let isWhole = false;
  try {
    const end = await download.run();
    isWhole = end.kind === "content";
    return end;
  } catch (error) {
    if (!isDiskFull(error) || attempt.stopped !== undefined) throw error;
    const keepsPart = paused.pause(attempt.task, { part, facts: download.facts });
    return { kind: "no_room", keepsPart };
  } finally {
    if (!isWhole) part.close();
  }
}

class Download {
  readonly #options: UpstreamExecutorOptions;
  readonly #attempt: Attempt;
  readonly #work: JobAtUpstream;
  readonly #part: PartFile;
  /** The film's first bytes. */
  #head = "";
  /** How much was written when the disk was last looked at. */
  #lookedAt = -Infinity;
  #etag: string | undefined;
  #totalBytes: number | undefined;

  constructor(options: UpstreamExecutorOptions, { attempt, work, part, facts }: {
    readonly attempt: Attempt;
    readonly work: JobAtUpstream;
    readonly part: PartFile;
    /** Of the film whose first bytes are in the part; `undefined` for an empty one. */
    readonly facts: ContentFacts | undefined;
  }) {
    this.#options = options;
    this.#attempt = attempt;
    this.#work = work;
    this.#part = part;
    if (facts === undefined) return;
    this.#head = facts.head;
    this.#etag = facts.etag;
    this.#totalBytes = facts.totalBytes;
  }

  /** Of the film whose first bytes are in the part. */
  get facts(): ContentFacts {
    return { head: this.#head, etag: this.#etag, totalBytes: this.#totalBytes };
  }

  async run(): Promise<AttemptEnd> {
    const { delay, onEvent } = this.#options;
    const { signal } = this.#attempt;
    const part = this.#part;
    let emptyTries = 0;
    let notYet = 0;
    for (let tries = 1;; tries++) {
      const before = part.bytes;
      let waitMs: number;
      try {
        const state = await this.#fetch();
        if (this.#attempt.stopped !== undefined) return STOPPED;
        if (state === "whole") return this.#check();
        if (++notYet > MOST_NOT_YET) return broken("The upstream has no film of a completed job");
        waitMs = NOT_YET_MS;
        tries--;
      } catch (caught) {
        if (this.#attempt.stopped !== undefined) return STOPPED;
        if (!(caught instanceof UpstreamError)) throw caught;
        const error = asUpstreamError(caught);
        onEvent({ kind: "download_cut", bytes: part.bytes, error, ...this.#attempt.name });
        emptyTries = part.bytes > before ? 0 : emptyTries + 1;
        if (emptyTries >= MOST_EMPTY_TRIES || tries >= MOST_TRIES) return brokenBy(error);
        // Refused from here on: perhaps it is another film by now.
        if (error.failure === "caller") await this.#startOver();
        waitMs = backoffMs(emptyTries);
      }
      await delay(waitMs, signal);
      if (this.#attempt.stopped !== undefined) return STOPPED;
    }
  }

  /** Gets as much as the upstream gives in one go. */
  async #fetch(): Promise<"whole" | "not_yet"> {
    const part = this.#part;
    if (part.bytes > 0 && part.bytes === this.#totalBytes) return "whole";
    const { upstream, job } = this.#work;
    const range = { from: part.bytes, etag: this.#etag };
    const content = await upstream.content(job, range, this.#attempt.signal);
    this.#attempt.alive();
    if (content === undefined) return "not_yet";
    try {
      if (content.from !== part.bytes) await this.#startOver();
      if (content.from !== part.bytes) {
        throw new UpstreamError("broken", "The upstream sent another part of the film than asked");
      }
      await this.#requireSame(content);
      this.#etag = content.etag;
      this.#totalBytes = content.totalBytes;
      await this.#copy(content);
    } finally {
      content.close();
    }
    const { totalBytes } = content;
    if (totalBytes !== undefined && part.bytes !== totalBytes) {
      const { bytes } = part;
      if (bytes > totalBytes) await this.#startOver();
      throw new UpstreamError("broken", `The film ended at ${bytes} of ${totalBytes} bytes`);
    }
    return "whole";
  }

  /** @throws {UpstreamError} When the film has another length than the one that was begun. */
  async #requireSame({ totalBytes }: VideoContent): Promise<void> {
    const before = this.#totalBytes;
    if (before === undefined || totalBytes === undefined || totalBytes === before) return;
    await this.#startOver();
    throw new UpstreamError("broken", `The film has ${totalBytes} bytes and had ${before} before`);
  }

  async #copy(content: VideoContent): Promise<void> {
    for (;;) {
      const chunk = await content.read();
      if (chunk === undefined || this.#attempt.stopped !== undefined) return;
      this.#attempt.alive();
      // Whatever goes on beyond it must not fill the disk.
      if (this.#part.bytes + chunk.length > MAX_CONTENT_BYTES) {
        throw new UpstreamError("broken", `The film is larger than ${MAX_CONTENT_BYTES} bytes`);
      }
      if (this.#head.length < BOX_NAME_END) {
        const missing = chunk.subarray(0, BOX_NAME_END - this.#head.length);
        this.#head += String.fromCharCode(...missing);
      }
      this.#requireRoom();
      await this.#part.write(chunk);
    }
  }

  /**
   * What others write meanwhile may take the room that there was at first; the rest is
   * the ledger's.
   *
   * @throws {GatewayError} `storage_full`: the download is put off.
   */
  #requireRoom(): void {
    const { bytes } = this.#part;
    if (bytes - this.#lookedAt < LOOK_EVERY_BYTES) return;
    this.#lookedAt = bytes;
    if (this.#options.hasRoom()) return;
    throw new GatewayError("storage_full", "The disk has no more room for this film");
  }

  async #startOver(): Promise<void> {
    await this.#part.startOver();
    this.#lookedAt = -Infinity;
    this.#head = "";
    this.#etag = undefined;
    this.#totalBytes = undefined;
  }

  /** Whatever calls itself a film and is none, such as an error page, is not kept. */
  #check(): AttemptEnd {
    if (this.#head.slice(BOX_NAME_START) !== "ftyp") {
      return broken(`What the upstream sent as a film is no MP4 file (${this.#part.bytes} bytes)`);
    }
    return { kind: "content", part: this.#part, hasThumbnail: false };
  }
}

function broken(message: string): AttemptEnd {
  return brokenBy(new UpstreamError("broken", message));
}

/** The job stays: the next attempt fetches its film again. */
function brokenBy(error: UpstreamError): AttemptEnd {
  return { kind: "broken", error, dropsJob: false };
}
