/**
 * Which commit a release is made from, and when that was.
 *
 * @module
 */

import { ROOT } from "../paths.ts";
import { runCommand } from "../run_command.ts";

/** The commit. */
export interface Commit {
  readonly hash: string;
  /** Seconds since 1970: `SOURCE_DATE_EPOCH` where it is set, else when it was made. */
  readonly epoch: number;
  /** Files that differ from it. */
  readonly changed: readonly string[];
}

/** @throws {Error} outside a git repository. */
export async function readCommit(): Promise<Commit> {
  const log = await git("log", "-1", "--format=%H %ct");
  const [hash = "", made = ""] = log.split(" ");
  const set = Deno.env.get("SOURCE_DATE_EPOCH");
  if (set !== undefined && !/^\d{1,12}$/.test(set)) {
    throw new Error("Cannot read SOURCE_DATE_EPOCH: expected seconds since 1970");
  }
  const status = await git("status", "--porcelain");
  return {
    hash,
    epoch: Number(set ?? made),
    changed: status === "" ? [] : status.split("\n").map((line) => line.slice(3)),
  };
}

async function git(...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await runCommand(["git", ...args], { cwd: ROOT });
  if (!success) throw new Error(`Cannot tell the commit: ${stderr.trim()}`);
  return stdout.replace(/\n$/, "");
}
