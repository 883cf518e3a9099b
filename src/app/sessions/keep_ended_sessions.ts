/**
 * Sessions of the console that were ended before their time, kept from one run to the next: in a file
 * of the data dir, or at the server that has the database. Nobody comes in with the cookie of who has
 * signed out, whatever is started anew.
 *
 * @module
 */

import { join } from "node:path";
import * as z from "zod";
import type { EndedSessions } from "../../console/frame/sessions.ts";
import type { Clock } from "../../domain/clock.ts";
import { SESSION_MS } from "../../domain/console_session.ts";
import { ifThere } from "../../files/if_there.ts";
import {
  type AskedSession,
  type EndedSession,
  EVERY_SESSION,
  MOST_ENDED,
  type SharedSignIns,
} from "../../storage/ports/shared_sign_ins.ts";

const FILE = "ended_sessions.json";

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

/** Sessions that were ended at a gateway that has its console to itself. Made when it starts. */
export function keepEndedSessions(options: EndedSessionsOptions): EndedSessions {
  const { clock } = options;
  const file = join(options.dataDir, FILE);
  // Who signs in from now on, within this very millisecond too, is none of those of before.
  const allUntil = clock.now() + SESSION_MS;
  let known: Ended | undefined;
  const read = () => known ??= readOrEndAll();
  function readOrEndAll(): Ended {
    try {
      return readEnded(file);
    } catch (error) {
      options.onTrouble("ended_sessions_not_read", error);
      return new Map([[EVERY_SESSION, allUntil]]);
    }
  }
  return {
    end({ id, until }: EndedSession): Promise<void> {
      const ended = read();
      if (ended.get(id) === until) return Promise.resolve();
      const now = clock.now();
      for (const [one, over] of ended) {
        if (over > now && ended.size < MOST_ENDED) break;
        // It speaks for more than any other.
        if (over <= now || one !== EVERY_SESSION) ended.delete(one);
      }
      ended.set(id, until);
      try {
        writeEnded(file, [...ended]);
      } catch (error) {
        options.onTrouble("ended_sessions_not_kept", error);
      }
      return Promise.resolve();
    },
    hasEnded({ id, since }: AskedSession): Promise<boolean> {
      const ended = read();
      const isOfBefore = since + SESSION_MS < (ended.get(EVERY_SESSION) ?? 0);
      return Promise.resolve(isOfBefore || ended.has(id));
    },
  };
}

/**
 * Sessions that were ended at a gateway whose database a server has: there, for all its nodes. What the data
 * dir knows, from when it had a database of its own or nodes kept them there, is brought there with the
 * first question, and not kept here any longer.
 */
export function endedAtServer(
  server: Pick<SharedSignIns, "end" | "endAll" | "hasEnded">,
  { dataDir, clock, onTrouble }: EndedSessionsOptions,
): EndedSessions {
  // Whoever was there before this start.
  const startedAt = clock.now();
  let brought: Promise<void> | undefined;
  async function bring(): Promise<void> {
    try {
      const known = endedSessionsIn(dataDir, startedAt, (error) => {
        onTrouble("ended_sessions_not_read", error);
      });
      if (known.length > 0) await server.endAll(known);
      await ifThere(Deno.remove(join(dataDir, FILE)));
    } catch (error) {
      // With the next question.
      brought = undefined;
      throw error;
    }
  }
  return {
    end: (session) => server.end(session),
    async hasEnded(session) {
      await (brought ??= bring());
      return await server.hasEnded(session);
    },
  };
}

/**
 * Sessions of which a data dir knows that they were ended, for whoever takes its content elsewhere. Where
 * that is unreadable, all of before have ended.
 *
 * @param onUnreadable Told why it is.
 * @throws {Error} The system's, where the file cannot be read.
 */
export function endedSessionsIn(
  dataDir: string,
  now: number,
  onUnreadable: (error: unknown) => void = () => {},
): readonly EndedSession[] {
  try {
    const ended = readEnded(join(dataDir, FILE));
    return [...ended].map(([id, until]) => ({ id, until })).filter(({ until }) => until > now);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    onUnreadable(error);
    return [{ id: EVERY_SESSION, until: now + SESSION_MS }];
  }
}

/**
 * Adds sessions that were ended elsewhere to those that a data dir knows of, which nobody uses meanwhile.
 * Where what it knows is unreadable it stays so, as all sessions of before have ended then.
 *
 * @throws {Error} The system's, where the file cannot be read or written.
 */
export function addEndedSessions(dataDir: string, sessions: readonly EndedSession[]): void {
  if (sessions.length === 0) return;
  const file = join(dataDir, FILE);
  let ended: Ended;
  try {
    ended = readEnded(file);
  } catch (error) {
    if (isUnreadable(error)) return;
    throw error;
  }
  for (const { id, until } of sessions) ended.set(id, Math.max(until, ended.get(id) ?? 0));
  // Of too many, those that are over soonest are forgotten, as they matter least.
  writeEnded(file, [...ended].sort(([, one], [, other]) => one - other).slice(-MOST_ENDED));
}

/** None where there is no such file. @throws {Error} Where it cannot be read, or is none: see {@linkcode isUnreadable}. */
function readEnded(file: string): Ended {
  let text: string;
  try {
    text = Deno.readTextFileSync(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return new Map();
    throw error;
  }
  return new Map(entries.parse(JSON.parse(text)));
}

/** Whether a text is of no such file. */
function isUnreadable(error: unknown): boolean {
  return error instanceof SyntaxError || error instanceof z.ZodError;
}

/** All or nothing, whenever the process ends. */
function writeEnded(file: string, ended: readonly (readonly [id: string, until: number])[]): void {
  Deno.writeTextFileSync(`${file}.part`, JSON.stringify(ended), { mode: 0o600 });
  Deno.renameSync(`${file}.part`, file);
}
