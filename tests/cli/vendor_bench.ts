/**
 * Commands that are run one after the other in a data dir of their own.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type CommandSurroundings, runCommand, withDataDir } from "./run_in_process.ts";

/** What a test has. */
export interface Bench {
  readonly dataDir: string;
  /** What a command prints; it has to end well. */
  out(line: string, around?: CommandSurroundings): Promise<string>;
  /** What it says besides. */
  said(line: string, around?: CommandSurroundings): Promise<string>;
  run(line: string, around?: CommandSurroundings): ReturnType<typeof runCommand>;
}

/** Declares a test. */
export function bench(name: string, test: (bench: Bench) => Promise<void>): void {
  Deno.test(name, () =>
    withDataDir(async (dataDir) => {
      const run = (line: string, around?: CommandSurroundings) =>
        runCommand([...line.split(" "), "--data-dir", dataDir], around);
      const good = async (line: string, around?: CommandSurroundings) => {
        const ended = await run(line, around);
        assert.equal(ended.code, 0, ended.stderr);
        return ended;
      };
      await test({
        dataDir,
        run,
        out: async (line, around) => (await good(line, around)).stdout,
        said: async (line, around) => (await good(line, around)).stderr,
      });
    }));
}
