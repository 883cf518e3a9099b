/**
 * What systemd tells a service about itself: whom to notify, how soon a watchdog
 * bites, where the log goes.
 *
 * @module
 */

import { fstatSync } from "node:fs";

/** A service as systemd has started it; all absent where nothing supervises the process. */
export interface Supervision {
  /** The datagram socket that hears of state changes; `@` at the front: an abstract one. */
  readonly notifySocket: string | undefined;
  /** Without a sign of life for so long, milliseconds, the process is ended. */
  readonly watchdogMs: number | undefined;
  /** Whether stderr is the journal itself, which takes a priority in front of a line. */
  readonly logsToJournal: boolean;
}

/** What is compared with the environment. */
export interface SupervisedProcess {
  readonly pid: number;
  /** The file behind stderr; `undefined` where it cannot be known. */
  readonly stderr: () => { readonly dev: number; readonly ino: number } | undefined;
}

/**
 * Reads `NOTIFY_SOCKET` (sd_notify(3)), `WATCHDOG_USEC` and `WATCHDOG_PID`
 * (sd_watchdog_enabled(3)), and `JOURNAL_STREAM` (systemd.exec(5)). Children of a
 * service inherit these variables: what names another process or stream is not
 * meant for this one.
 */
export function readSupervision(
  env: Readonly<Record<string, string | undefined>>,
  { pid, stderr }: SupervisedProcess = THIS_PROCESS,
): Supervision {
  const { NOTIFY_SOCKET = "", WATCHDOG_USEC = "", WATCHDOG_PID = "", JOURNAL_STREAM = "" } = env;
  const isWatched = WATCHDOG_PID === "" || Number(WATCHDOG_PID) === pid;
  const watchdogMs = Number(WATCHDOG_USEC) / 1_000;
  const file = JOURNAL_STREAM === "" ? undefined : stderr();
  return {
    notifySocket: /^[/@]./.test(NOTIFY_SOCKET) ? NOTIFY_SOCKET : undefined,
    watchdogMs: isWatched && Number.isFinite(watchdogMs) && watchdogMs >= 1
      ? watchdogMs
      : undefined,
    logsToJournal: file !== undefined && JOURNAL_STREAM === `${file.dev}:${file.ino}`,
  };
}

const THIS_PROCESS: SupervisedProcess = {
  pid: Deno.pid,
  stderr() {
    try {
      // By its number: a path below /proc takes more permissions than the executable has.
      return fstatSync(2);
    } catch (error) {
      if (error instanceof Error) return undefined; // stderr is closed
      throw error;
    }
  },
};
