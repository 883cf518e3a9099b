/**
 * Sessions of the console that were ended before their time, kept from one run to the next: in a file
 * of the data dir. Nobody comes in with the cookie of who has signed out, whatever is started anew.
 *
 * @module
 */

import { join } from "node:path";
import * as z from "zod";
import type { EndedSession, EndedSessions } from "../console/frame/sessions.ts";

const FILE = "ended_sessions.json";

const entries = z.lazy(() => z.array(z.tuple([z.string(), z.int()])));

/**
 * @param onTrouble Told why they could not be read or written. What cannot be read is left to the
 * sessions; what cannot be written holds until the process ends.
 */
export function keepEndedSessions(
  dataDir: string,
  onTrouble: (what: "ended_sessions_not_read" | "ended_sessions_not_kept", error: unknown) => void,
): EndedSessions {
  const file = join(dataDir, FILE);
  return {
    read(): readonly EndedSession[] | undefined {
      try {
        return entries.parse(JSON.parse(Deno.readTextFileSync(file)));
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return [];
        onTrouble("ended_sessions_not_read", error);
        return undefined;
      }
    },
    write(ended) {
      try {
        Deno.writeTextFileSync(`${file}.part`, JSON.stringify(ended), { mode: 0o600 });
        Deno.renameSync(`${file}.part`, file);
      } catch (error) {
        onTrouble("ended_sessions_not_kept", error);
      }
    },
  };
}
