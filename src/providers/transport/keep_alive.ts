/**
 * How long an upstream says that it keeps an idle connection (`Keep-Alive:
 * timeout=5`, as Node's and many other servers send it).
 *
 * @module
 */

import type { ResponseHead } from "./response_head.ts";

/** A request that is on its way when the time is over would meet a closed connection. */
const MARGIN_MS = 1_000;

/** Milliseconds for which a request may still be sent; `Infinity` when the upstream does not say. */
export function keepAliveMs({ headers }: Pick<ResponseHead, "headers">): number {
  const value = headers.get("keep-alive");
  if (value === undefined) return Infinity;
  const seconds = /(?:^|[,;\s])timeout\s*=\s*"?(\d{1,9})/i.exec(value)?.[1];
  return seconds === undefined ? Infinity : Number(seconds) * 1_000 - MARGIN_MS;
}
