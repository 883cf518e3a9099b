/**
 * What there is to say of a server that has the database.
 *
 * @module
 */

import { spanText } from "../../domain/span_text.ts";
import { AWAY_MS } from "../../storage/ports/server_state.ts";
import type { DatabaseServer } from "./driver.ts";

/** What is written and confirmed only after longer is held up, as by a standby that has to have it too. */
const HELD_UP_MS = 5_000;
/** Clocks that are further apart tell other times of calls than those who look at them. */
const APART_MS = 5_000;

/** Whether it answers, and confirms what is written. */
export function answers(server: DatabaseServer): boolean {
  if (isHeldUp(server)) return false;
  return server.state().silentMs < AWAY_MS;
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
  if (isHeldUp(server)) {
    return [
      "the database server confirms nothing that is written, as where its synchronous standby is away: " +
      "`tollgate doctor` says more",
    ];
  }
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
  return [
    `this machine's clock is ${spanText(clockAheadMs)} ${
      clockAheadMs > 0 ? "ahead of" : "behind"
    } the database server's`,
  ];
}

function isHeldUp(server: DatabaseServer): boolean {
  return server.state().writingMs >= HELD_UP_MS;
}
