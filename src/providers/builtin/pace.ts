/**
 * Waiting inside built-in models: every timer ends with the call's signal.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { UpstreamError } from "../../domain/upstream_error.ts";

/** @throws {UpstreamError} `aborted` when the signal is. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new UpstreamError("aborted", "The call was aborted");
}

/**
 * Waits that many milliseconds.
 *
 * @throws {UpstreamError} `aborted` as soon as the signal is.
 */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  throwIfAborted(signal);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    signal.removeEventListener("abort", onAbort);
    resolve();
  }, milliseconds);
  function onAbort(): void {
    clearTimeout(timer);
    reject(new UpstreamError("aborted", "The call was aborted"));
  }
  signal.addEventListener("abort", onAbort, { once: true });
  return promise;
}

/**
 * Lets whatever else is due have its turn. Only for work that waits for its reader
 * as well: while immediates go on, the runtime looks at sockets once in some sixty turns.
 */
export function giveWay(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Lets sockets have their turn too, for a millisecond at least: for work that waits for nobody. */
export function giveWayToAll(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
