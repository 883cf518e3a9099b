/**
 * Whether the clock was set back or forth.
 *
 * @module
 */

import { spanText } from "../../domain/span_text.ts";
import type { StorageReads } from "../../storage/ports/storage.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const CHECK = "clock";
/** Of the newest calls: after the clock was set back, the newest are not the latest. */
const NEWEST_CALLS = 1_000;
/** Clocks that are kept by NTP move by less. */
const TOLERANCE_MS = 60_000;
const JUMP_MS = 5_000;

/** Compares the clock with stored times and, where a server runs, with its stopwatch. */
export async function examineClock(
  { clock, server }: Patient,
  storage: StorageReads | undefined,
): Promise<readonly Finding[]> {
  const now = clock.now();
  const latest = storage === undefined ? 0 : await latestTime(storage);
  const findings: Finding[] = [];
  if (latest > now + TOLERANCE_MS) {
    findings.push(
      problem(
        CHECK,
        `It says ${iso(now)}, and the latest call is of ${iso(latest)}: ${
          spanText(latest - now)
        } in the future`,
        "Set the clock (NTP). Limits, leases and reports count the future calls until then",
      ),
    );
  }
  const jumpedMs = server?.answers?.system.clock.jumped_ms ?? 0;
  if (Math.abs(jumpedMs) > JUMP_MS) {
    findings.push(
      warning(
        CHECK,
        `It was set ${jumpedMs > 0 ? "forward" : "back"} by ${
          spanText(Math.abs(jumpedMs))
        } while the server ran, or the machine slept`,
        "See that NTP keeps it; restart the server to make limits and leases start anew",
      ),
    );
  }
  return findings.length > 0 ? findings : [ok(CHECK, `${iso(now)}, no stored time is later`)];
}

async function latestTime({ calls }: StorageReads): Promise<number> {
  const last = await calls.lastCallId();
  const newest = await calls.slice(Math.max(0, last - NEWEST_CALLS), NEWEST_CALLS);
  return newest.reduce(
    (latest, call) => Math.max(latest, call.openedAt, call.state === "open" ? 0 : call.closedAt),
    0,
  );
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
