/**
 * Seals and archives of a server's rows, asked for with as much patience as each statement needs: what is
 * short is refused at once where the server is away, and what reads or writes many rows may take long.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import type { RunArchives } from "../ports/archived_runs.ts";
import type { DroppedCalls, LedgerSeals } from "../ports/seals.ts";
import { answered } from "./answered.ts";
import type { Ask } from "./ask.ts";
import { ConnectionLost } from "./connection.ts";
import { PostgresSealStore } from "./seal_store.ts";

/**
 * How a statement is asked. `short`: as anything that somebody waits for. `long`: it may take minutes, and
 * so may a silence in the middle of the work that it is part of. `first`: it may take as long, and begins
 * such a work, which is not begun while the server is away.
 */
type Pace = "short" | "long" | "first";

const SEALS: Readonly<Record<Exclude<keyof LedgerSeals, "dropped" | "archives">, Pace>> = {
  list: "long",
  digest: "long",
  read: "long",
  readRaw: "long",
  looseCalls: "long",
  nextRun: "long",
  isSealer: "short",
  put: "long",
  lots: "long",
  strays: "long",
  rowCounts: "first",
};

const DROPPED: Readonly<Record<keyof DroppedCalls, Pace>> = {
  lastAt: "short",
  next: "long",
  drop: "long",
};

const ARCHIVES: Readonly<Record<keyof RunArchives, Pace>> = {
  outlook: "first",
  next: "long",
  begin: "short",
  giveUp: "short",
  list: "short",
  unfinished: "short",
  take: "short",
  nextToDrop: "long",
  finish: "long",
  nextToRestore: "long",
  putBack: "long",
  restored: "long",
  forget: "short",
};

/** Who is asked. */
export interface SharedSealsOptions {
  /** Refuses what is asked while the server is away. */
  readonly short: Ask;
  /** Waits for minutes. */
  readonly long: Ask;
  readonly isAway: () => boolean;
  /** Who would seal, or archive. */
  readonly session: () => SessionId;
}

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

/** What is thrown is put into words as {@linkcode answered} does. */
export function sharedSeals({ short, long, isAway, session }: SharedSealsOptions): LedgerSeals {
  const quick = new PostgresSealStore(short, session);
  const patient = new PostgresSealStore(long, session);
  function served<Store extends object>(
    paces: Readonly<Record<string, Pace>>,
    storeOf: (seals: PostgresSealStore) => Store,
  ): Store {
    const methods = Object.entries(paces).map(([method, pace]) => {
      const store = storeOf(pace === "short" ? quick : patient) as unknown as Methods;
      const serve = (...args: readonly unknown[]) =>
        answered(() => {
          if (pace === "first" && isAway()) throw new ConnectionLost("The server says nothing");
          return store[method]!(...args);
        });
      return [method, serve] as const;
    });
    // The lists name every method of their stores.
    return Object.fromEntries(methods) as unknown as Store;
  }
  return {
    ...served<LedgerSeals>(SEALS, (seals) => seals),
    dropped: served<DroppedCalls>(DROPPED, (seals) => seals.dropped),
    archives: served<RunArchives>(ARCHIVES, (seals) => seals.archives),
  };
}
