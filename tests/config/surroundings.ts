/**
 * Surroundings that a test decides.
 *
 * @module
 */

import type { Surroundings } from "../../src/config/surroundings.ts";

/** Options of {@linkcode surroundings}. */
export interface GivenSurroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly executableFolder?: string;
  /** Folders that exist and can be written to. */
  readonly writable?: readonly string[];
  /** Further folders that exist. */
  readonly folders?: readonly string[];
}

/** A machine on which only the folders named exist. */
export function surroundings(given: GivenSurroundings = {}): Surroundings {
  const { writable = [], folders = [] } = given;
  return {
    env: given.env ?? {},
    cwd: given.cwd ?? "/srv",
    executableFolder: given.executableFolder,
    uid: 1000,
    isDirectory: (path) => [...writable, ...folders].includes(path),
    isWritable: (path) => writable.includes(path),
  };
}

/** Runs `body` with a config file of that text, named relative to its folder. */
export async function withConfig(
  text: string,
  body: (place: { folder: string }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/settings.yaml`, text);
    await body({ folder });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
