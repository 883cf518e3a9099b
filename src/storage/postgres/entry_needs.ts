/**
 * Which rows entries will ask for: they are read together, before the first one is applied.
 *
 * @module
 */

import type { Entry } from "../ports/entry.ts";

/** Ids, each once. */
export interface Needs {
  /** Projects whose balances calls are in. */
  readonly projects: readonly string[];
  /** Projects of which what nobody has leased may change. */
  readonly pools: readonly string[];
  /** Those of them of which something is to be leased. */
  readonly leased: readonly string[];
  readonly calls: readonly number[];
}

/** What some entries will ask for together. */
export function needsOf(entries: readonly Entry[]): Needs {
  const projects = new Set<string>();
  const pools = new Set<string>();
  const leased = new Set<string>();
  const calls = new Set<number>();
  for (const entry of entries.flatMap(changesOf)) {
    const pool = poolOf(entry);
    if (pool !== undefined) pools.add(pool);
    if (entry.kind === "lease") leased.add(entry.projectId);
    for (const call of callsOf(entry)) {
      projects.add(call.projectId);
      if (isFilms(entry)) pools.add(call.projectId);
      calls.add(call.callId);
    }
  }
  return {
    projects: [...projects],
    pools: [...pools],
    leased: [...leased],
    calls: [...calls],
  };
}

/** What is noted in the audit log changes what it would change alone. */
function changesOf(entry: Entry): readonly Entry[] {
  return entry.kind === "audited" ? entry.changes : [entry];
}

/** The project whose row an entry locks: all of a batch are locked together, in their order. */
function poolOf(entry: Entry): string | undefined {
  switch (entry.kind) {
    case "lease":
    case "give_back":
    case "credit":
      return entry.projectId;
    case "update_project":
      return entry.project.id;
    default:
      return undefined;
  }
}

/** A film's hold is nobody's: it outlives whoever took it. */
function isFilms({ kind }: Entry): boolean {
  return kind === "create_video" || kind === "change_video" || kind === "delete_video";
}

function callsOf(
  entry: Entry,
): readonly { readonly callId: number; readonly projectId: string }[] {
  switch (entry.kind) {
    case "hold":
    case "rehold":
    case "close":
    case "create_video":
      return [entry.call];
    case "change_video":
      return [entry.move, entry.close].filter((call) => call !== undefined);
    case "delete_video":
      return entry.close === undefined ? [] : [entry.close];
    default:
      return [];
  }
}
