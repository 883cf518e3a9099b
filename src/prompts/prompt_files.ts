/**
 * What calls said, in files: `<project>/<hour>+<days>d/<request id>.gz`. A folder's name says until when
 * it is kept, whatever becomes of its project's setting; a file is there whole or not at all.
 *
 * @module
 */

import { join } from "node:path";
import { isObject } from "../domain/json_value.ts";
import { ifThere } from "../files/if_there.ts";
import {
  blocksOf,
  type CallToKeep,
  DAY_MS,
  endOfHour,
  HOUR_MS,
  hoursAbout,
  hourText,
  LEAVES_SHARE,
  type PlacedCall,
  type PlacedPrompt,
  type PromptPlace,
} from "./prompt_place.ts";

const FOLDER = /^(\d{4})(\d\d)(\d\d)(\d\d)\+(\d{1,5})d$/;
const FILE = /^req_[a-z0-9]{1,60}\.gz$/;

/** Where the files are. */
export interface PromptFilesOptions {
  /** Theirs alone; made when the first one is kept. */
  readonly folder: string;
  /** Bytes of the disk that may be written. */
  readonly freeBytes: () => number;
}

/** A file that goes elsewhere. */
export interface LeavingPrompt {
  readonly projectId: string;
  readonly requestId: string;
  /** In the hour in which its call arrived, as near as is known; milliseconds since the epoch. */
  readonly at: number;
  readonly days: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export class PromptFiles implements PromptPlace {
  readonly atOnce = 1;
  readonly reapEveryMs = 10 * 60_000;
  /** A disk answers: the end waits for it. */
  readonly hasEnded = false;
  readonly #folder: string;
  readonly #freeBytes: () => number;
  /** Bytes on the disk, by project and folder. */
  readonly #sizes = new Map<string, Map<string, number>>();
  #loaded: Promise<void> | undefined;
  #work: Promise<unknown> = Promise.resolve();

  constructor({ folder, freeBytes }: PromptFilesOptions) {
    this.#folder = folder;
    this.#freeBytes = freeBytes;
  }

  bytesOf(projectId: string): Promise<number> {
    return this.#inTurn(() => Promise.resolve(this.#bytesOf(projectId)));
  }

  write(call: CallToKeep, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    return this.#inTurn(async () => {
      if (call.isForgotten()) return;
      if (this.#freeBytes() < bytes.length) throw new DiskFullError();
      await this.#write(call, bytes);
      await this.#shrink(call.projectId, call.mostBytes);
    });
  }

  async read({ projectId, requestId, at }: PlacedCall): Promise<PlacedPrompt | undefined> {
    if (!FILE.test(`${requestId}.gz`)) return undefined;
    const hours = hoursAbout(at);
    for (const name of await namesIn(join(this.#folder, projectId))) {
      if (!hours.some((hour) => name.startsWith(hour)) || !FOLDER.test(name)) continue;
      const path = join(this.#folder, projectId, name, `${requestId}.gz`);
      const bytes = await ifThere(Deno.readFile(path));
      if (bytes !== undefined) return { bytes, until: untilOf(name, undefined) };
    }
    return undefined;
  }

  /** By the end of its folder's hour. */
  expire(now: number, daysOf: (projectId: string) => number | undefined): Promise<void> {
    return this.#inTurn(async () => {
      for (const [projectId, sizes] of this.#sizes) {
        for (const name of [...sizes.keys()]) {
          if (untilOf(name, daysOf(projectId)) <= now) await this.#drop(projectId, name);
        }
      }
    });
  }

  forget(projectId: string): Promise<number> {
    return this.#inTurn(async () => {
      const bytes = this.#bytesOf(projectId);
      await ifThere(Deno.remove(join(this.#folder, projectId), { recursive: true }));
      this.#sizes.delete(projectId);
      return bytes;
    });
  }

  async stop(): Promise<void> {
    await this.#work;
  }

  /** An error's own words have paths in them. */
  troubleOf(error: unknown): string {
    if (error instanceof DiskFullError) return "the disk is full";
    const code = isObject(error) && "code" in error ? error.code : undefined;
    const why = typeof code === "string" ? code : error instanceof Error ? error.name : "an error";
    return `the folder "prompts" of the data dir cannot be read or written (${why}); look at its rights and its disk`;
  }

  /** Gives one after the other away, and removes each once it is taken. */
  leave(take: (leaving: LeavingPrompt) => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      for (const [projectId, sizes] of this.#sizes) {
        for (const name of [...sizes.keys()]) {
          const path = join(this.#folder, projectId, name);
          for (const file of await namesIn(path)) {
            const writtenAt = (await Deno.stat(join(path, file))).mtime?.getTime() ?? Infinity;
            const end = untilOf(name, 0);
            const at = Math.max(end - HOUR_MS, Math.min(writtenAt, end - 1));
            const [bytes, days] = [await Deno.readFile(join(path, file)), daysIn(name)];
            await take({ projectId, requestId: file.slice(0, -".gz".length), at, days, bytes });
            await Deno.remove(join(path, file));
          }
          await this.#drop(projectId, name);
        }
      }
    });
  }

  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const turn = this.#work.then(async () => {
      await (this.#loaded ??= this.#load());
      return await run();
    });
    this.#work = turn.catch(() => this.#loaded = undefined);
    return turn;
  }

  /** Counts what is there, and removes what a process that was killed has left half written. */
  async #load(): Promise<void> {
    for (const projectId of await namesIn(this.#folder)) {
      for (const name of await namesIn(join(this.#folder, projectId))) {
        if (!FOLDER.test(name)) continue;
        const path = join(this.#folder, projectId, name);
        let sum = 0;
        for (const file of await namesIn(path)) {
          const found = FILE.test(file)
            ? await ifThere(Deno.stat(join(path, file)))
            : void await ifThere(Deno.remove(join(path, file)));
          if (found !== undefined) sum += blocksOf(found.size);
        }
        this.#sizesOf(projectId).set(name, sum);
      }
    }
  }

  #bytesOf(projectId: string): number {
    return [...this.#sizes.get(projectId)?.values() ?? []].reduce((sum, bytes) => sum + bytes, 0);
  }

  async #write(
    { projectId, requestId, at, days }: CallToKeep,
    bytes: Uint8Array,
  ): Promise<void> {
    const name = `${hourText(at)}+${days}d`;
    const folder = join(this.#folder, projectId, name);
    const path = join(folder, `${requestId}.gz`);
    try {
      await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
      await Deno.writeFile(`${path}.part`, bytes, { mode: 0o600 });
      await Deno.rename(`${path}.part`, path);
    } catch (error) {
      await ifThere(Deno.remove(`${path}.part`));
      throw error;
    }
    const sizes = this.#sizesOf(projectId);
    sizes.set(name, (sizes.get(name) ?? 0) + blocksOf(bytes.length));
  }

  /** Removes the oldest of a project until the rest is within so many bytes. */
  async #shrink(projectId: string, mostBytes: number): Promise<void> {
    let sum = this.#bytesOf(projectId);
    if (sum <= mostBytes) return;
    const sizes = this.#sizesOf(projectId);
    for (const name of [...sizes.keys()].sort()) {
      const before = sizes.get(name)!;
      if (sum - before > mostBytes * LEAVES_SHARE) await this.#drop(projectId, name);
      else await this.#thin(projectId, name, sum - mostBytes * LEAVES_SHARE);
      sum -= before - (sizes.get(name) ?? 0);
      if (sum <= mostBytes) return;
    }
  }

  async #drop(projectId: string, name: string): Promise<void> {
    const path = join(this.#folder, projectId, name);
    await ifThere(Deno.remove(path, { recursive: true }));
    const sizes = this.#sizesOf(projectId);
    sizes.delete(name);
    if (sizes.size > 0) return;
    this.#sizes.delete(projectId);
    await ifThere(Deno.remove(join(this.#folder, projectId), { recursive: true }));
  }

  /** Removes the oldest files of a folder, of so many bytes at least. */
  async #thin(projectId: string, name: string, bytes: number): Promise<void> {
    const folder = join(this.#folder, projectId, name);
    const files: { path: string; size: number; at: number }[] = [];
    for (const file of await namesIn(folder)) {
      const path = join(folder, file);
      const found = await ifThere(Deno.stat(path));
      if (found === undefined) continue;
      files.push({ path, size: blocksOf(found.size), at: found.mtime?.getTime() ?? 0 });
    }
    files.sort((a, b) => a.at - b.at);
    let removed = 0;
    for (const { path, size } of files) {
      if (removed >= bytes) break;
      await ifThere(Deno.remove(path));
      removed += size;
    }
    const sizes = this.#sizesOf(projectId);
    const all = files.reduce((sum, { size }) => sum + size, 0);
    if (all > removed) sizes.set(name, all - removed);
    else await this.#drop(projectId, name);
  }

  #sizesOf(projectId: string): Map<string, number> {
    let sizes = this.#sizes.get(projectId);
    if (sizes === undefined) this.#sizes.set(projectId, sizes = new Map());
    return sizes;
  }
}

/** The end of the folder's hour and its days, in milliseconds since the epoch. */
function untilOf(name: string, daysNow: number | undefined): number {
  const [, year, month, day, hour, days] = FOLDER.exec(name)!.map(Number);
  return endOfHour(year!, month!, day!, hour!) + Math.min(days!, daysNow ?? Infinity) * DAY_MS;
}

function daysIn(name: string): number {
  return Number(FOLDER.exec(name)![5]);
}

/** Names in a folder; none where there is no folder. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await ifThere(Array.fromAsync(Deno.readDir(folder)));
  return entries?.map(({ name }) => name) ?? [];
}

class DiskFullError extends Error {}
