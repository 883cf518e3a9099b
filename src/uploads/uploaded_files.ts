/**
 * What callers do with files that they have uploaded: keep, find, list, delete. Files whose time
 * is over are removed.
 *
 * @module
 */

import type { AuditNote } from "../domain/audit.ts";
import type { Clock } from "../domain/clock.ts";
import type { IdempotencyRecord } from "../domain/idempotency.ts";
import { randomName } from "../domain/ids.ts";
import { FILE_ID, type FilePurpose, hasKey, type UploadedFile } from "../domain/uploaded_file.ts";
import { GatewayError } from "../errors.ts";
import type { SpooledFile } from "../files/spooled_file.ts";
import type { CommitQueue } from "../storage/ports/commit_queue.ts";
import type { EntryResult } from "../storage/ports/entry.ts";
import type { SharedBatches } from "../storage/ports/shared_batches.ts";
import type { UploadStore } from "../storage/ports/storage.ts";
import type { UploadPage } from "../storage/ports/upload_pages.ts";
import type { StoredObject } from "../objects/read_back.ts";
import type { UploadBucket } from "./upload_bucket.ts";
import type { UploadFiles } from "./upload_files.ts";

/** What it works with. */
export interface UploadedFilesOptions {
  readonly uploads: UploadStore;
  readonly commits: CommitQueue;
  readonly files: UploadFiles;
  /** Has files that have a key. */
  readonly bucket?: UploadBucket | undefined;
  /** Where others use the database too: the bytes that a project's files take; new ones go to the bucket. */
  readonly shared?: Pick<SharedBatches, "fileBytes"> | undefined;
  readonly clock: Pick<Clock, "now">;
  /** Where that is said of one project alone. */
  readonly ownQuotaOf: (projectId: string) => number | undefined;
  /** Hears of files that could not be removed. */
  readonly onError: (error: unknown) => void;
}

/** What is said of a file that is to be kept. */
export interface KeepOptions {
  readonly projectId: string;
  readonly purpose: FilePurpose;
  readonly expiresAt: number | undefined;
  /** Makes what a repeated request gets. */
  readonly remember: ((file: UploadedFile) => IdempotencyRecord | undefined) | undefined;
}

/** One page of a list. */
export interface UploadedPage {
  readonly files: readonly UploadedFile[];
  readonly hasMore: boolean;
}

const SWEEP_MS = 60_000;
const SLICE = 100;
const RETRY_SECONDS = 60;

export class UploadedFiles {
  readonly #options: UploadedFilesOptions;
  /** Bytes by project: of what is kept, and of what is about to be. */
  readonly #bytes = new Map<string, number>();
  /** The part of it that is about to be. */
  readonly #coming = new Map<string, number>();
  /** Nothing is kept before it is opened. */
  #quotaBytes = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #sweeping: Promise<void> | undefined;

  constructor(options: UploadedFilesOptions) {
    this.#options = options;
  }

  /**
   * Readies it for callers: adds up what is kept, and removes what a crash has left between a file
   * and its row.
   *
   * @param options.quotaBytes Bytes that the files of one project may take.
   * @param options.spared Files without a row that are being written by what goes on after a start.
   */
  async open(
    { quotaBytes, spared = new Set() }: {
      readonly quotaBytes: number;
      readonly spared?: ReadonlySet<string>;
    },
  ): Promise<void> {
    const { uploads, files } = this.#options;
    this.#quotaBytes = quotaBytes;
    for (const { projectId, bytes } of await uploads.keptBytes()) {
      this.#bytes.set(projectId, bytes);
    }
    await files.prepare();
    let slice: string[] = [];
    const sweep = async () => {
      for (const id of await uploads.idsWithoutFile(slice)) await files.remove(id);
      slice = [];
    };
    for await (const id of files.ids()) {
      if (!spared.has(id)) slice.push(id);
      if (slice.length === SLICE) await sweep();
    }
    await sweep();
  }

  /** Begins to remove files whose time is over. */
  start(): void {
    this.sweep();
    this.#timer = setInterval(() => this.sweep(), SWEEP_MS);
  }

  /** Ends that, for good. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweeping;
  }

  /** Looks now for files whose time is over; resolves when they are gone. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweepAll().catch(this.#options.onError).finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  /** Bytes that a project's files take. */
  bytesOf(projectId: string): number {
    return this.#bytes.get(projectId) ?? 0;
  }

  /**
   * Keeps a file that came with a request. It and what is told of it are on the disk when this
   * resolves.
   *
   * @throws {GatewayError} `storage_full`; nothing is kept then.
   */
  async keep(
    { path, bytes, sha256, filename }: SpooledFile,
    { projectId, purpose, expiresAt, remember }: KeepOptions,
  ): Promise<UploadedFile> {
    const { commits, clock, shared, ownQuotaOf } = this.#options;
    const quotaBytes = ownQuotaOf(projectId) ?? this.#quotaBytes;
    if (shared !== undefined) {
      const stored = await shared.fileBytes(projectId, quotaBytes - bytes);
      this.#countShared(projectId, stored);
    }
    if (this.bytesOf(projectId) + bytes > quotaBytes) {
      throw overQuota(quotaBytes);
    }
    const file = {
      id: newFileId(),
      projectId,
      purpose,
      filename,
      bytes,
      sha256,
      createdAt: clock.now(),
      expiresAt,
    };
    this.#countComing(projectId, bytes);
    let kept: UploadedFile = file;
    try {
      kept = await this.#take(path, file);
      const idempotency = remember?.(kept);
      const mostBytes = shared && quotaBytes;
      const result = await commits.commit({
        kind: "create_upload",
        ...{ file: kept, mostBytes, idempotency },
      });
      if (!result.ok && result.isOverQuota === true) throw overQuota(quotaBytes);
      requireDone(result);
    } catch (error) {
      this.count(projectId, -bytes);
      await this.#removeBytes(kept);
      throw error;
    } finally {
      this.#coming.set(projectId, (this.#coming.get(projectId) ?? 0) - bytes);
    }
    return kept;
  }

  async #take(path: string, file: UploadedFile): Promise<UploadedFile> {
    const { files, bucket, shared } = this.#options;
    if (bucket !== undefined && shared !== undefined) {
      return { ...file, objectKey: await bucket.put(path, file) };
    }
    await files.take(path, file.id);
    return file;
  }

  /** A project's own file; `undefined` for another one's as for none, and once its time is over. */
  async findOwn(projectId: string, fileId: string): Promise<UploadedFile | undefined> {
    if (!FILE_ID.test(fileId)) return undefined;
    const file = await this.#options.uploads.find(fileId);
    const isOwn = file?.projectId === projectId;
    return isOwn && !this.#isOver(file) ? file : undefined;
  }

  /** A page of a project's files; `undefined` when it has no file of the id to go on from. */
  async page(
    query: UploadPage & { readonly projectId: string },
  ): Promise<UploadedPage | undefined> {
    const { projectId, after, limit } = query;
    if (after !== undefined && await this.findOwn(projectId, after) === undefined) return undefined;
    const found = await this.#options.uploads.list({ ...query, limit: limit + 1 });
    const files = found.slice(0, limit).filter((file) => !this.#isOver(file));
    return { files, hasMore: found.length > limit };
  }

  /**
   * Deletes a project's own file.
   *
   * @throws {GatewayError} `storage_full`; nothing has changed.
   */
  async removeOwn(projectId: string, fileId: string): Promise<"deleted" | "missing"> {
    const file = await this.findOwn(projectId, fileId);
    return file === undefined ? "missing" : await this.#remove(file);
  }

  /** Deletes a file of whatever project for its operator, and notes it in the same step. */
  removeNoted(file: UploadedFile, note: AuditNote): Promise<"deleted" | "missing"> {
    return this.#remove(file, note);
  }

  /** Where an operator finds the bytes of a file. */
  placeOf(file: UploadedFile): string {
    const { files, bucket } = this.#options;
    if (!hasKey(file)) return files.pathOf(file.id);
    return bucket?.addressOf(file) ?? file.objectKey;
  }

  /** The bytes of a file, to be sent; `undefined` of one in a bucket where none is set. */
  contentOf(file: UploadedFile): { readonly path: string } | StoredObject | undefined {
    const { files, bucket } = this.#options;
    return hasKey(file) ? bucket?.contentOf(file) : { path: files.pathOf(file.id) };
  }

  /** Counts bytes that a project's files take from now on; less than 0 for fewer. */
  count(projectId: string, bytes: number): void {
    this.#bytes.set(projectId, Math.max(0, this.bytesOf(projectId) + bytes));
  }

  #countComing(projectId: string, bytes: number): void {
    this.#coming.set(projectId, (this.#coming.get(projectId) ?? 0) + bytes);
    this.count(projectId, bytes);
  }

  /** What is about to be kept here has no row yet. */
  #countShared(projectId: string, stored: number): void {
    this.#bytes.set(projectId, stored + (this.#coming.get(projectId) ?? 0));
  }

  async #sweepAll(): Promise<void> {
    const { uploads, clock } = this.#options;
    for (;;) {
      const over = await uploads.expired(clock.now(), SLICE);
      for (const file of over) await this.#remove(file);
      if (over.length < SLICE) return;
    }
  }

  async #remove(file: UploadedFile, note?: AuditNote): Promise<"deleted" | "missing"> {
    const { commits } = this.#options;
    const entry = { kind: "delete_upload", fileId: file.id } as const;
    const result = await commits.commit(
      note === undefined ? entry : { kind: "audited", changes: [entry], note },
    );
    if (!result.ok && result.reason === "missing") return "missing";
    requireDone(result);
    this.count(file.projectId, -file.bytes);
    await this.#removeBytes(file);
    return "deleted";
  }

  /** What cannot be removed now goes at the next start. */
  async #removeBytes(file: UploadedFile): Promise<void> {
    const { files, bucket, onError } = this.#options;
    try {
      await files.remove(file.id);
      if (hasKey(file)) await bucket?.remove(file);
    } catch (cause) {
      onError(new Error(`Cannot remove the bytes of ${file.id} yet`, { cause }));
    }
  }

  #isOver({ expiresAt }: UploadedFile): boolean {
    return expiresAt !== undefined && expiresAt <= this.#options.clock.now();
  }
}

/** `file-` and 26 random characters. */
export function newFileId(): string {
  return `file-${randomName(26)}`;
}

function requireDone(result: EntryResult): void {
  if (result.ok) return;
  const isRefused = result.reason === "conflict" || result.reason === "missing";
  if (isRefused) throw new Error(`Cannot store a file: ${result.message}`);
  throw full("Nothing can be stored now: try again later");
}

function overQuota(quotaBytes: number): GatewayError {
  return full(
    `The files of this project would take more than the ${quotaBytes} bytes that they may: delete what you no longer need. Nothing was stored`,
  );
}

function full(message: string): GatewayError {
  return new GatewayError("storage_full", message, { retryAfterSeconds: RETRY_SECONDS });
}
