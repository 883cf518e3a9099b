/**
 * Puts another executable in the place of this one. At every moment there is one under its name:
 * a name is only ever moved over another.
 *
 * @module
 */

import { dirname } from "node:path";
import { CommandFailure } from "../base/failure.ts";

/** The files of an update, all in the executable's own folder. */
export interface UpdateFiles {
  readonly own: string;
  /** The one that was there before. */
  readonly previous: string;
  /** What is written first, and moved when it is whole. */
  readonly archive: string;
  readonly fresh: string;
  readonly kept: string;
}

export function updateFiles(own: string): UpdateFiles {
  return {
    own,
    previous: `${own}.previous`,
    archive: `${own}.update.tar.gz`,
    fresh: `${own}.update`,
    kept: `${own}.previous.part`,
  };
}

/** Removes what an update that was ended left behind. */
export function removeParts({ archive, fresh, kept }: UpdateFiles): void {
  for (const path of [archive, fresh, kept]) {
    try {
      Deno.removeSync(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

/** Keeps this executable beside it and moves the fresh one in its place. */
export function switchTo({ own, previous, fresh, kept }: UpdateFiles): void {
  Deno.linkSync(own, kept);
  Deno.renameSync(kept, previous);
  Deno.renameSync(fresh, own);
  syncFolder(own);
}

/**
 * Exchanges this executable and the one before it.
 *
 * @throws {CommandFailure} When none was kept.
 */
export function switchBack({ own, previous, kept }: UpdateFiles): void {
  try {
    Deno.statSync(previous);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new CommandFailure(`There is none to go back to: ${previous} is not there`);
  }
  Deno.linkSync(own, kept);
  Deno.renameSync(previous, own);
  Deno.renameSync(kept, previous);
  syncFolder(own);
}

/** ELF tells the kind of machine in its first 20 bytes, Mach-O in its first 8. */
const HEAD_BYTES = 20;
const MACHO_BYTES = 8;

/**
 * What is signed may still be for another machine.
 *
 * @throws {CommandFailure} When the fresh one is.
 */
export function refuseOtherKind({ own, fresh }: UpdateFiles): void {
  const [here, there] = [own, fresh].map((path) => {
    using file = Deno.openSync(path);
    const head = new Uint8Array(HEAD_BYTES);
    file.readSync(head);
    // The operating system's brand and the ABI's version, which tell nothing of the machine.
    if (head[0] === 0x7f) head.fill(0, 7, 16);
    return [...head.subarray(0, head[0] === 0x7f ? HEAD_BYTES : MACHO_BYTES)].join();
  });
  if (here !== there) {
    throw new CommandFailure(
      "The executable in the archive is for another kind of machine. Nothing was changed",
    );
  }
}

function syncFolder(path: string): void {
  using folder = Deno.openSync(dirname(path));
  folder.syncSync();
}
