/**
 * What there is to say of a server that has the database.
 *
 * @module
 */

import type { DatabaseServer } from "./driver.ts";

/** A server that is silent for longer is away: no call is begun that could not be settled. */
const SILENT_MS = 3_000;
/** Clocks that are further apart tell other times of calls than those who look at them. */
const APART_MS = 5_000;

/** Whether it answers. */
export function answers(server: DatabaseServer): boolean {
  return server.state().silentMs < SILENT_MS;
}

/**
 * Why no calls can be taken.
 *
 * @param followed Whether it is known what other nodes have changed.
 */
export function serverReasons(
  server: DatabaseServer,
  followed?: { readonly isCurrent: boolean },
): readonly string[] {
  if (!answers(server)) return ["the database server does not answer: `tollgate doctor` says more"];
  return followed?.isCurrent === false
    ? [
      "it is not known what other servers have changed: the database server was silent for a moment",
    ]
    : [];
}

/** What an operator should look at. */
export function serverWarnings(server: DatabaseServer): readonly string[] {
  const { clockAheadMs } = server.state();
  if (Math.abs(clockAheadMs) < APART_MS) return [];
  const seconds = Math.round(Math.abs(clockAheadMs) / 1_000);
  return [
    `this machine's clock is ${seconds} seconds ${
      clockAheadMs > 0 ? "ahead of" : "behind"
    } the database server's`,
  ];
}
