/**
 * Sessions of the console that were ended before their time, kept from one run to the next: in a file
 * of the data dir. Nobody comes in with the cookie of who has signed out, whatever is started anew.
 *
 * @module
 */

import { join } from "node:path";
import * as z from "zod";
import { SESSION_MS } from "../admin/base/console_links.ts";
import type { EndedSessions } from "../console/frame/sessions.ts";
import type { Clock } from "../domain/clock.ts";
import type { EndedSession } from "../storage/ports/shared_sign_ins.ts";

const FILE = "ended_sessions.json";
const MOST_ENDED = 10_000;

const entries = z.lazy(() => z.array(z.tuple([z.string(), z.int()])));

/** Whose file it is, which is read when somebody first asks, and who hears of its troubles. */
export interface EndedSessionsOptions {
  readonly dataDir: string;
  readonly clock: Pick<Clock, "now">;
  /**
   * Told why they could not be read or written. Where they cannot be read, every session of before has
   * ended; what cannot be written holds until the process ends.
   */
  readonly onTrouble: (
    what: "ended_sessions_not_read" | "ended_sessions_not_kept",
    error: unknown,
  ) => void;
}

/** Those that were ended, by id, each with when it would have ended by itself. */
type Ended = Map<string, number>;

/** In the place of an id: all that end by themselves before. No session has it for its id. */
const ALL = "*";

/** Sessions that were ended at a gateway that has its console to itself. Made when it starts. */
export function keepEndedSessions(options: EndedSessionsOptions): EndedSessions {
  const { clock } = options;
  const file = join(options.dataDir, FILE);
  // Who signs in from now on, within this very millisecond too, is none of those of before.
  const allUntil = clock.now() + SESSION_MS;
  let known: Ended | undefined;
  const read = () => known ??= readEnded(file, { ...options, allUntil });
  return {
    end({ id, until }: EndedSession): Promise<void> {
      const ended = read();
      const now = clock.now();
      for (const [one, over] of ended) {
        if (over > now && ended.size < MOST_ENDED) break;
        ended.delete(one);
      }
      ended.set(id, until);
      try {
        Deno.writeTextFileSync(`${file}.part`, JSON.stringify([...ended]), { mode: 0o600 });
        Deno.renameSync(`${file}.part`, file);
      } catch (error) {
        options.onTrouble("ended_sessions_not_kept", error);
      }
      return Promise.resolve();
    },
    hasEnded({ id, until }: EndedSession): Promise<boolean> {
      const ended = read();
      return Promise.resolve(until < (ended.get(ALL) ?? 0) || ended.has(id));
    },
  };
}

function readEnded(
  file: string,
  { allUntil, onTrouble }: EndedSessionsOptions & { readonly allUntil: number },
): Ended {
  try {
    return new Map(entries.parse(JSON.parse(Deno.readTextFileSync(file))));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return new Map();
    onTrouble("ended_sessions_not_read", error);
    return new Map([[ALL, allUntil]]);
  }
}
