/**
 * The address at which callers reach a listener.
 *
 * @module
 */

import type { Listener } from "../http/listener.ts";

/** @throws {TypeError} When it is not on TCP. */
export function urlOf({ address }: Listener): string {
  if (address.transport !== "tcp") throw new TypeError("The public listener is not on TCP");
  const hostname = LOOPBACK_OF.get(address.hostname) ?? address.hostname;
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return `http://${host}:${address.port}`;
}

/** Every interface is no address to call: of those on which it listens this one is known. */
const LOOPBACK_OF: ReadonlyMap<string, string> = new Map([["0.0.0.0", "127.0.0.1"], ["::", "::1"]]);
