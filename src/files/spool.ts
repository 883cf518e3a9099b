/**
 * The folder of files that come with requests: each is there for as long as its request, and
 * what a crash has left goes at the next start.
 *
 * @module
 */

import type { SessionId, Sessions } from "../domain/session.ts";
import { GatewayError } from "../errors.ts";
import { isDiskFull } from "./disk_full.ts";
import { ifThere } from "./if_there.ts";
import { PartFile } from "./part_file.ts";
import { SpooledFile } from "./spooled_file.ts";

/** Bytes of the disk that files of requests may take together; one owner never has all of them. */
export interface SpoolBudget {
  of(owner: string): {
    /** Takes bytes if they are free; says whether. */
    tryReserve(bytes: number): boolean;
    release(bytes: number): void;
  };
}

/** What a spool works with. */
export interface SpoolOptions {
  readonly folder: string;
  readonly sessions: Sessions;
  readonly budget: SpoolBudget;
  /** Whether the disk has room for so many bytes more, whatever else is promised. */
  readonly hasRoomFor: (bytes: number) => boolean;
  /** Hears of files that could not be removed. */
  readonly onError: (error: unknown) => void;
}

/** Reserved at a time: what is only claimed takes no room. */
const STEP_BYTES = 1024 ** 2;
const RETRY_SECONDS = 60;
const FILE_NAME = /^(\d+)\.\d+\.part$/;

export class Spool {
  readonly #options: SpoolOptions;
  #files = 0;

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  /** Makes the folder and removes what ended sessions have left there; says how many files. */
  async prepare(): Promise<number> {
    const { folder, sessions } = this.#options;
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    let removed = 0;
    for await (const { name, isFile } of Deno.readDir(folder)) {
      const [, session] = FILE_NAME.exec(name) ?? [];
      if (!isFile || session === undefined || !this.#isLeft(Number(session), sessions)) continue;
      await ifThere(Deno.remove(`${folder}/${name}`));
      removed++;
    }
    return removed;
  }

  /** Begins a file of an owner, 0600. */
  async create(owner: string): Promise<SpoolPart> {
    const { folder, sessions } = this.#options;
    const file = await PartFile.create(`${folder}/${sessions.own}.${++this.#files}.part`)
      .catch((error) => {
        throw asFull(error);
      });
    return new SpoolPart(file, { ...this.#options, budget: this.#options.budget.of(owner) });
  }

  /** Of our own session there is none yet: a restored database counts sessions again. */
  #isLeft(session: SessionId, sessions: Sessions): boolean {
    return session === sessions.own || sessions.hasEnded(session);
  }
}

/** What one file of an owner is written with. */
type PartOptions = Pick<SpoolOptions, "hasRoomFor" | "onError"> & {
  readonly budget: ReturnType<SpoolBudget["of"]>;
};

/** A file while it comes. */
export class SpoolPart {
  readonly #file: PartFile;
  readonly #options: PartOptions;
  #reserved = 0;
  #removal: Promise<void> | undefined;

  constructor(file: PartFile, options: PartOptions) {
    this.#file = file;
    this.#options = options;
  }

  /**
   * Appends bytes.
   *
   * @throws {GatewayError} `storage_full`
   */
  async write(bytes: Uint8Array): Promise<void> {
    this.#reserve(bytes.length);
    try {
      await this.#file.write(bytes);
    } catch (error) {
      throw asFull(error);
    }
  }

  /** Closes the file: nothing more comes. */
  end({ filename, contentType }: Pick<SpooledFile, "filename" | "contentType">): SpooledFile {
    const { path, bytes } = this.#file;
    return new SpooledFile({ path, bytes, filename, contentType, sha256: this.#file.end() });
  }

  /** Removes the file, wherever its writing is; what was taken elsewhere stays there. Never throws. */
  remove(): Promise<void> {
    return this.#removal ??= this.#remove();
  }

  async #remove(): Promise<void> {
    this.#file.close();
    try {
      await ifThere(Deno.remove(this.#file.path));
    } catch (error) {
      this.#options.onError(new Error("Cannot remove the file of a request", { cause: error }));
    }
    this.#options.budget.release(this.#reserved);
    this.#reserved = 0;
  }

  #reserve(more: number): void {
    const missing = this.#file.bytes + more - this.#reserved;
    if (missing <= 0) return;
    const step = Math.max(missing, STEP_BYTES);
    const { budget, hasRoomFor } = this.#options;
    if (!hasRoomFor(step)) {
      throw full("The disk has no room for this upload: try again later");
    }
    if (!budget.tryReserve(step)) {
      throw full(
        "The uploads under way take what there is for them (of one project half of what the others leave): send fewer at the same time, or smaller ones, and try again when some of them have ended",
      );
    }
    this.#reserved += step;
  }
}

function asFull(error: unknown): unknown {
  if (!isDiskFull(error)) return error;
  return full("The disk has no room for this upload: try again later", error);
}

function full(message: string, cause?: unknown): GatewayError {
  return new GatewayError("storage_full", message, { retryAfterSeconds: RETRY_SECONDS, cause });
}
