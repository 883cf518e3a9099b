/**
 * Options that say what a project may take of the disk.
 *
 * @module
 */

import { type Command, InvalidArgumentError } from "commander";
import { parseByteSize } from "../../documents/byte_size.ts";

/** A size in bytes, or the word that takes a project's own quota away. */
type Quota = number | "none";

/** What the options give. */
export interface QuotaOptions {
  readonly keptBytes?: Quota;
  readonly videoBytes?: Quota;
}

/** Adds the options. With `removable`, the value `none` takes a project's own quota away. */
export function addQuotaOptions(
  command: Command,
  { removable }: { readonly removable: boolean },
): Command {
  const read = (text: string): Quota => removable && text === "none" ? text : parseSize(text);
  const or = removable ? ", or none for what all have" : "";
  return command
    .option("--kept-bytes <size>", `most that is kept of its answers, such as 1GiB${or}`, read)
    .option("--video-bytes <size>", `most that its films may take, such as 50GB${or}`, read);
}

/** The quotas as an operation takes them; only those that were given. */
export function quotasOf(options: QuotaOptions): { [name: string]: number | null } {
  const quotas = { kept_bytes: options.keptBytes, video_bytes: options.videoBytes };
  return Object.fromEntries(
    Object.entries(quotas).flatMap(([name, quota]) =>
      quota === undefined ? [] : [[name, quota === "none" ? null : quota]]
    ),
  );
}

function parseSize(text: string): number {
  const bytes = parseByteSize(text);
  if (bytes === undefined) {
    throw new InvalidArgumentError("Expected a number of bytes such as 10485760, 10MB or 1.5GiB.");
  }
  return bytes;
}
