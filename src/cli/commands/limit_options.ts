/**
 * Options that set limits and model patterns.
 *
 * @module
 */

import { type Command, InvalidArgumentError } from "commander";
import { orNone, patchOf, type Removable } from "./removable.ts";

/** What the options give. */
export interface LimitOptions {
  readonly requestsPerMinute?: Removable<number>;
  readonly tokensPerMinute?: Removable<number>;
  readonly concurrent?: Removable<number>;
  readonly openVideoTasks?: Removable<number>;
}

/** Adds the options. With `removable`, the value `none` takes a limit away. */
export function addLimitOptions(
  command: Command,
  { removable }: { readonly removable: boolean },
): Command {
  const read = orNone(parseCount, { removable });
  const or = removable ? ", or none" : "";
  return command
    .option("--requests-per-minute <n>", `limit of requests per minute${or}`, read)
    .option("--tokens-per-minute <n>", `limit of tokens per minute${or}`, read)
    .option("--concurrent <n>", `limit of calls at one time${or}`, read)
    .option("--open-video-tasks <n>", `limit of unfinished video tasks${or}`, read);
}

/** The limits as an operation takes them; only those that were given. */
export function limitsOf(options: LimitOptions): { [name: string]: number | null } {
  return patchOf({
    requests_per_minute: options.requestsPerMinute,
    tokens_per_minute: options.tokensPerMinute,
    concurrent: options.concurrent,
    open_video_tasks: options.openVideoTasks,
  });
}

/** A whole number of 1 or more. */
export function parseCount(text: string): number {
  const count = /^\d{1,13}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new InvalidArgumentError("Expected a whole number of 1 or more.");
  return count;
}

/** Model patterns, separated by commas. */
export function parseList(text: string): readonly string[] {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}
