/**
 * How many files and sockets this process may open.
 *
 * @module
 */
import { isOutOfDescriptors } from "../../domain/out_of_descriptors.ts";

const NOTHING = "/dev/null";
/**
 * Whoever may open more has enough for a while: the first refusal tells then. To open this many
 * takes some milliseconds of every start.
 */
const MOST_TRIED = 256;
/** For the database, its Worker, the log, films and whatever else is opened once. */
const RESERVED = 64;
/** Of a serving thread, for itself. */
const RESERVED_BY_THREAD = 8;

/**
 * How many connections of callers leave as many descriptors for the calls to upstreams that they
 * bring; `undefined` where descriptors are many. To be asked before anything else is opened.
 *
 * It opens descriptors until there are no more: to read the limit takes every permission.
 *
 * @param threads That serve beside the first.
 * @param tried How many are tried at most.
 */
export function connectionsWithinDescriptors(
  threads = 0,
  tried = MOST_TRIED,
): number | undefined {
  const free = countFreeDescriptors(tried);
  const left = (free ?? 0) - RESERVED - threads * RESERVED_BY_THREAD;
  return free === undefined ? undefined : Math.max(1, Math.floor(left / 2));
}

function countFreeDescriptors(tried: number): number | undefined {
  const files: Deno.FsFile[] = [];
  try {
    while (files.length < tried) files.push(Deno.openSync(NOTHING));
    return undefined;
  } catch (error) {
    // Where there is no such file the limit stays unknown until it is met.
    return isOutOfDescriptors(error) ? files.length : undefined;
  } finally {
    for (const file of files) file.close();
  }
}
