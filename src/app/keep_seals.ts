/**
 * What is known of sealed thoughts, kept from one run to the next: in a file of the data dir, written
 * now and then and at the end. To lose it costs conversations their place, never an answer.
 *
 * @module
 */

import { join } from "node:path";
import type { SealedRoutes } from "../gateway/sealed_routes.ts";

const FILE = "seals.json";
/** What a process that is killed may lose. */
const EVERY_MS = 60_000;

/** What keeping them works with. */
export interface KeepSealsOptions {
  readonly dataDir: string;
  /** Told why they could not be read or written. */
  readonly onTrouble: (what: "seals_not_read" | "seals_not_kept", error: unknown) => void;
  readonly everyMs?: number;
}

/** Keeping under way. */
export interface SealsKept {
  /** Writes what is new, and ends. */
  stop(): Promise<void>;
}

/** Takes over what an earlier run has kept, and keeps what is new. */
export function keepSeals(
  seals: Pick<SealedRoutes, "changes" | "load">,
  { dataDir, onTrouble, everyMs = EVERY_MS }: KeepSealsOptions,
): SealsKept {
  const file = join(dataDir, FILE);
  try {
    seals.load(Deno.readTextFileSync(file));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) onTrouble("seals_not_read", error);
  }
  let writing: Promise<void> = Promise.resolve();
  let unwritten: string | undefined;
  const write = () => {
    writing = writing.then(async () => {
      // A disk that was full has room again although nothing is new.
      unwritten = seals.changes() ?? unwritten;
      if (unwritten === undefined) return;
      await Deno.writeTextFile(`${file}.part`, unwritten, { mode: 0o600 });
      await Deno.rename(`${file}.part`, file);
      unwritten = undefined;
    }).catch((error) => onTrouble("seals_not_kept", error));
    return writing;
  };
  const timer = setInterval(write, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await write();
    },
  };
}
