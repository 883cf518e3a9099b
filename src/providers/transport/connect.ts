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
  /** Whether it may be called at public addresses alone. */
  readonly isPublicOnly: boolean;
}

/** Reads a URL as a target. */
export function parseTarget(
  text: string,
  { isPublicOnly = false }: { readonly isPublicOnly?: boolean } = {},
): Target {
  const url = new URL(text);
  const secure = url.protocol === "https:";
  return {
    // Connections whose address nobody checked do not serve where it must have been.
    origin: isPublicOnly ? `public ${url.origin}` : url.origin,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
    secure,
    host: url.host,
    path: url.pathname + url.search,
    isPublicOnly,
  };
}

/** Opens a connection; `caCerts` are PEM certificates trusted besides the system's. */
export async function connect(target: Target, caCerts: readonly string[]): Promise<Connection> {
  const { hostname, port } = target;
  return await secureConnection(await Deno.connect({ hostname, port }), target, caCerts);
}

/** Makes a TCP connection ready for requests to a target: the certificate must name its host. */
export async function secureConnection(
  plain: Deno.TcpConn,
  target: Target,
  caCerts: readonly string[],
): Promise<Connection> {
  const { hostname } = target;
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
    return new Connection(secure, { isSecure: true });
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

/**
 * The connection; `undefined` where it is given up before it is there. Whatever still comes of it then is
 * closed, and why it failed no longer matters.
 *
 * @param onGiveUp Is given what gives it up.
 */
export async function unlessGivenUp(
  connecting: Promise<Connection>,
  onGiveUp: (giveUp: () => void) => void,
): Promise<Connection | undefined> {
  const gaveUp = Promise.withResolvers<undefined>();
  onGiveUp(() => gaveUp.resolve(undefined));
  const connection = await Promise.race([connecting, gaveUp.promise]);
  if (connection === undefined) connecting.then((late) => late.close(), () => {});
  return connection;
}
