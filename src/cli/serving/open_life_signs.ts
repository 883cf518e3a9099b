/**
 * Opens the way on which systemd hears how the server is.
 *
 * @module
 */

import { LifeSigns, type Log, NotifySocket } from "../../app/gateway.ts";
import type { Supervision } from "../../config/supervision.ts";

/** Life signs that go nowhere when nobody asks for them, or cannot be told: the log says that. */
export async function openLifeSigns(
  { notifySocket, watchdogMs }: Supervision,
  log: Log,
): Promise<LifeSigns> {
  const socket = await openSocket(notifySocket, log);
  return new LifeSigns({
    send: socket === undefined ? () => Promise.resolve() : (lines) => socket.send(lines),
    watchdogMs: socket === undefined ? undefined : watchdogMs,
    every(run, ms) {
      const timer = setInterval(run, ms);
      return () => clearInterval(timer);
    },
  });
}

async function openSocket(path: string | undefined, log: Log): Promise<NotifySocket | undefined> {
  if (path === undefined) return undefined;
  const onTrouble = (error: Error) => log.error("notify_failed", { message: error.message });
  try {
    return await NotifySocket.open(path, { onTrouble });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    onTrouble(error);
    return undefined;
  }
}
