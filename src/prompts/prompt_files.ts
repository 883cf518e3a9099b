/**
 * What calls said, in files: `<project>/<hour>+<days>d/<request id>.gz`. A folder's name says until when
 * it is kept, whatever becomes of its project's setting; a file is there whole or not at all.
 *
 * @module
 */

import { join } from "node:path";
import { isObject } from "../domain/json_value.ts";
import { ifThere } from "../files/if_there.ts";
import { FirstTrouble } from "./first_trouble.ts";
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
  /** About when its call arrived, and in the same hour; milliseconds since the epoch. */
  readonly at: number;
  readonly days: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export class PromptFiles implements PromptPlace {
  readonly atOnce = 1;
  readonly reapEveryMs = 10 * 60_000;
  /** A disk answers: the end waits for it. */
  readonly hasEnded = false;
  readonly patienceMs = undefined;
  readonly #folder: string;
  readonly #freeBytes: () => number;
  /** Bytes on the disk, by project and folder. */
  readonly #sizes = new Map<string, Map<string, number>>();
  #loaded: Promise<void> | undefined;
  /** What could not be looked at; it is looked at again once somebody was told. */
  #unread = new FirstTrouble();
  #work: Promise<unknown> = Promise.resolve();

  constructor({ folder, freeBytes }: PromptFilesOptions) {
    this.#folder = folder;
    this.#freeBytes = freeBytes;
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

  /**
   * By the end of its folder's hour.
   *
   * @throws {StayingFiles} When some cannot be removed.
   */
  async expire(now: number, daysOf: (projectId: string) => number | undefined): Promise<void> {
    const trouble = new FirstTrouble();
    await trouble.of(() =>
      this.#inTurn(async () => {
        for (const [projectId, name] of this.#folders()) {
          if (untilOf(name, daysOf(projectId)) > now) continue;
          await trouble.of(() => this.#drop(projectId, name));
        }
      })
    );
    this.#tell(trouble);
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
    if (error instanceof StayingFiles) return this.troubleOf(error.cause);
    if (error instanceof DiskFullError) return "the disk is full";
    const code = isObject(error) && "code" in error ? error.code : undefined;
    const why = typeof code === "string" ? code : error instanceof Error ? error.name : "an error";
    return `the folder "prompts" of the data dir cannot be read or written (${why}); look at its rights and its disk`;
  }

  /**
   * Gives one after the other away, and removes each once it is taken; others have their turn between
   * them. What cannot be read or removed stays, and is told once all others are gone.
   *
   * @throws {StayingFiles} When some stay; else what `take` is rejected with, at once.
   */
  async leave(take: (leaving: LeavingPrompt) => Promise<void>): Promise<void> {
    const trouble = new FirstTrouble();
    // Caught within the turn: what fails there has everything looked at again.
    const inTurn = <Value>(work: () => Promise<Value>) => this.#inTurn(() => trouble.of(work));
    const folders = await trouble.of(() => this.#inTurn(() => Promise.resolve(this.#folders())));
    for (const [projectId, name] of folders ?? []) {
      const folder = join(this.#folder, projectId, name);
      for (const file of await inTurn(() => namesIn(folder)) ?? []) {
        if (!FILE.test(file)) continue;
        const path = join(folder, file);
        const found = await inTurn(() => ifThere(readTimed(path)));
        if (found === undefined) continue;
        const end = untilOf(name, 0);
        const at = Math.max(end - HOUR_MS, Math.min(found.writtenAt, end - 1));
        const requestId = file.slice(0, -".gz".length);
        await take({ projectId, requestId, at, days: daysIn(name), bytes: found.bytes });
        await inTurn(() => ifThere(Deno.remove(path)));
      }
      await inTurn(async () => {
        if ((await namesIn(folder)).length === 0) await this.#drop(projectId, name);
      });
    }
    this.#tell(trouble);
  }

  /** What could not be looked at is part of it. */
  #tell({ met = this.#unread.met }: FirstTrouble): void {
    if (met === undefined) return;
    this.#loaded = undefined;
    throw new StayingFiles("Files of prompts cannot be read or removed", { cause: met.error });
  }

  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const turn = this.#work.then(async () => {
      await (this.#loaded ??= this.#load());
      return await run();
    });
    this.#work = turn.catch(() => this.#loaded = undefined);
    return turn;
  }

  /**
   * Counts what is there, and removes what a process that was killed has left half written. What cannot
   * be looked at keeps nothing else from being counted.
   */
  async #load(): Promise<void> {
    this.#sizes.clear();
    this.#unread = new FirstTrouble();
    for (const projectId of await foldersIn(this.#folder)) {
      const path = join(this.#folder, projectId);
      for (const name of await this.#unread.of(() => foldersIn(path)) ?? []) {
        if (FOLDER.test(name)) this.#sizesOf(projectId).set(name, await this.#sizeOf(path, name));
      }
    }
  }

  async #sizeOf(path: string, name: string): Promise<number> {
    const folder = join(path, name);
    let sum = 0;
    for (const file of await this.#unread.of(() => namesIn(folder)) ?? []) {
      const found = await this.#unread.of(async () =>
        FILE.test(file)
          ? await ifThere(Deno.stat(join(folder, file)))
          : void await ifThere(Deno.remove(join(folder, file)))
      );
      if (found !== undefined) sum += blocksOf(found.size);
    }
    return sum;
  }

  /** As they are now: what is done with them may remove them. */
  #folders(): readonly (readonly [projectId: string, name: string])[] {
    return [...this.#sizes].flatMap(([projectId, sizes]) =>
      [...sizes.keys()].map((name) => [projectId, name] as const)
    );
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
  return (await entriesIn(folder)).map(({ name }) => name);
}

/** Likewise of what is no file there. */
async function foldersIn(folder: string): Promise<readonly string[]> {
  return (await entriesIn(folder)).filter(({ isFile }) => !isFile).map(({ name }) => name);
}

async function entriesIn(folder: string): Promise<readonly Deno.DirEntry[]> {
  return await ifThere(Array.fromAsync(Deno.readDir(folder))) ?? [];
}

async function readTimed(path: string) {
  const { mtime } = await Deno.stat(path);
  return { bytes: await Deno.readFile(path), writtenAt: mtime?.getTime() ?? Infinity };
}

class DiskFullError extends Error {}

/** Some files could not be removed or given away; why is its cause. */
export class StayingFiles extends Error {}
