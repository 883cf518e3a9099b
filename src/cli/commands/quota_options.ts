/**
 * Options that say what a project may take of the disk.
 *
 * @module
 */

import { type Command, InvalidArgumentError } from "commander";
import { parseByteSize } from "../../documents/byte_size.ts";
import { orNone, patchOf, type Removable } from "./removable.ts";

/** What the options give. */
export interface QuotaOptions {
  readonly keptBytes?: Removable<number>;
  readonly videoBytes?: Removable<number>;
}

/** Adds the options. With `removable`, the value `none` takes a project's own quota away. */
export function addQuotaOptions(
  command: Command,
  { removable }: { readonly removable: boolean },
): Command {
  const read = orNone(parseSize, { removable });
  const or = removable ? ", or none for what all have" : "";
  return command
    .option("--kept-bytes <size>", `most that is kept of its answers, such as 1GiB${or}`, read)
    .option("--video-bytes <size>", `most that its films may take, such as 50GB${or}`, read);
}

/** The quotas as an operation takes them; only those that were given. */
export function quotasOf(options: QuotaOptions): { [name: string]: number | null } {
  return patchOf({ kept_bytes: options.keptBytes, video_bytes: options.videoBytes });
}

function parseSize(text: string): number {
  const bytes = parseByteSize(text);
  if (bytes === undefined) {
    throw new InvalidArgumentError("Expected a number of bytes such as 10485760, 10MB or 1.5GiB.");
  }
  return bytes;
}
