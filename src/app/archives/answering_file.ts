/**
 * Whether a file answers at all: one on a network share may not, and what then reads it in the main thread
 * holds up every call.
 *
 * @module
 */

import { answerWithin, LateError } from "../../domain/wait_at_most.ts";

/** A share that takes longer is as good as away. */
const PATIENCE_MS = 2_000;

/** By path: of a file that hangs one look waits, and not one for each that asks. */
const LOOKS: Map<string, Promise<boolean>> = new Map();

/** `false` where it is not there, may not be read, or says nothing for two seconds; looked at in no thread that serves. */
export async function answersInTime(path: string): Promise<boolean> {
  let look = LOOKS.get(path);
  if (look === undefined) {
    look = readFirstByte(path).finally(() => LOOKS.delete(path));
    LOOKS.set(path, look);
  }
  try {
    return await answerWithin(PATIENCE_MS, look);
  } catch (error) {
    if (!(error instanceof LateError)) throw error;
    return false;
  }
}

async function readFirstByte(path: string): Promise<boolean> {
  try {
    using file = await Deno.open(path);
    return await file.read(new Uint8Array(1)) !== null;
  } catch {
    // What is wrong with it is for whoever reads it to say: it is not there for this one.
    return false;
  }
}
