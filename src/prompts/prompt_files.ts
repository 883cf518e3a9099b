/**
 * What calls said, in files: `<project>/<hour>+<days>d/<request id>.gz`. A folder's name says until when
 * it is kept, whatever becomes of its project's setting; a file is there whole or not at all.
 *
 * @module
 */

import { join } from "node:path";
import { ifThere } from "../files/if_there.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const FOLDER = /^(\d{4})(\d\d)(\d\d)(\d\d)\+(\d{1,5})d$/;
const FILE = /^req_[a-z0-9]{1,60}\.gz$/;
/** Disks give out room in blocks: a small file takes one. */
const BLOCK_BYTES = 4_096;
/** What is taken away once a project's are too many, so that not every call looks for the oldest. */
const LEAVES_SHARE = 0.95;

/** Where a call's are, and until when. */
export interface KeptFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export class PromptFiles {
  readonly #folder: string;
  /** Bytes on the disk, by project and folder. */
  readonly #sizes = new Map<string, Map<string, number>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Counts what is there, and removes what a process that was killed has left half written. */
  async load(): Promise<void> {
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

  /** Bytes on the disk of a project. */
  bytesOf(projectId: string): number {
    return [...this.#sizes.get(projectId)?.values() ?? []].reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Projects of which anything is kept. */
  projects(): readonly string[] {
    return [...this.#sizes.keys()];
  }

  async write(
    { projectId, requestId, at, days }: {
      readonly projectId: string;
      readonly requestId: string;
      readonly at: number;
      readonly days: number;
    },
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

  /** What is kept of a call that began about then; `undefined` for nothing. */
  async read(
    { projectId, requestId, at }: {
      readonly projectId: string;
      readonly requestId: string;
      readonly at: number;
    },
  ): Promise<KeptFile | undefined> {
    if (!FILE.test(`${requestId}.gz`)) return undefined;
    // The call's row may have another millisecond, and so another hour.
    const hours = [at, at - HOUR_MS, at + HOUR_MS].map(hourText);
    for (const name of await namesIn(join(this.#folder, projectId))) {
      if (!hours.some((hour) => name.startsWith(hour)) || !FOLDER.test(name)) continue;
      const path = join(this.#folder, projectId, name, `${requestId}.gz`);
      const bytes = await ifThere(Deno.readFile(path));
      if (bytes !== undefined) return { bytes, until: untilOf(name, undefined) };
    }
    return undefined;
  }

  /** Removes what has been kept long enough: by its folder's days, or by fewer that its project now has. */
  async expire(now: number, daysOf: (projectId: string) => number | undefined): Promise<void> {
    for (const [projectId, sizes] of this.#sizes) {
      for (const name of [...sizes.keys()]) {
        if (untilOf(name, daysOf(projectId)) <= now) await this.#drop(projectId, name);
      }
    }
  }

  /** Removes the oldest of a project until the rest is within so many bytes. */
  async shrink(projectId: string, mostBytes: number): Promise<void> {
    let sum = this.bytesOf(projectId);
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

  /** Removes all of a project; gives how many bytes that were. */
  async forget(projectId: string): Promise<number> {
    const bytes = this.bytesOf(projectId);
    await ifThere(Deno.remove(join(this.#folder, projectId), { recursive: true }));
    this.#sizes.delete(projectId);
    return bytes;
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

function hourText(at: number): string {
  return new Date(at).toISOString().slice(0, 13).replaceAll(/\D/g, "");
}

/** The end of the folder's hour and its days, in milliseconds since the epoch. */
function untilOf(name: string, daysNow: number | undefined): number {
  const [, year, month, day, hour, days] = FOLDER.exec(name)!.map(Number);
  const end = Date.UTC(year!, month! - 1, day, hour) + HOUR_MS;
  return end + Math.min(days!, daysNow ?? Infinity) * DAY_MS;
}

function blocksOf(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

/** Names in a folder; none where there is no folder. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await ifThere(Array.fromAsync(Deno.readDir(folder)));
  return entries?.map(({ name }) => name) ?? [];
}
