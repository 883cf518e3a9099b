/**
 * Opens connections to upstreams: TCP without Nagle's delay, and TLS with the
 * certificate checked against the host's name.
 *
 * @module
 */

import { Connection } from "./connection.ts";

/** Where a URL's requests go, and what is the same for all of them. */
export interface Target {
  /** Key of the connection pool. */
  readonly origin: string;
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
  /** Value of the Host field. */
  readonly host: string;
  /** Path and query as they go on the wire. */
  readonly path: string;
}

/** Reads a URL as a target. */
export function parseTarget(text: string): Target {
  const url = new URL(text);
  const secure = url.protocol === "https:";
  return {
    origin: url.origin,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
    secure,
    host: url.host,
    path: url.pathname + url.search,
  };
}

/** Opens a connection; `caCerts` are PEM certificates trusted besides the system's. */
export async function connect(target: Target, caCerts: readonly string[]): Promise<Connection> {
  const { hostname, port } = target;
  const plain = await Deno.connect({ hostname, port });
  // A request is one write; waiting for more of it would only add delay.
  plain.setNoDelay(true);
  if (!target.secure) return new Connection(plain);
  try {
    const secure = await Deno.startTls(plain, { hostname, caCerts: [...caCerts] });
    try {
      // Now, so that a wrong certificate is a failure to connect and no key has left.
      await secure.handshake();
    } catch (error) {
      secure.close();
      throw error;
    }
    return new Connection(secure);
  } catch (error) {
    closeQuietly(plain);
    throw error;
  }
}

/** `startTls` takes the plain connection over, unless it fails early. */
function closeQuietly(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
