/**
 * Reads `HOST:PORT`.
 *
 * @module
 */

/** Where to listen. */
export interface ListenAddress {
  readonly hostname: string;
  /** 0 to 65535; 0 takes any free one. */
  readonly port: number;
}

/** What to write instead. */
export const LISTEN_HINT =
  "Expected HOST:PORT such as 127.0.0.1:8080 or [::1]:8080; 0.0.0.0:8080 is every interface";

const ADDRESS = /^(?:\[([0-9A-Fa-f:.]+(?:%[A-Za-z0-9._-]+)?)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/;

/** `undefined` when the text is no address with a port of 0 to 65535. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = ADDRESS.exec(text);
  if (match === null) return undefined;
  const hostname = match[1] ?? match[2]!;
  const port = Number(match[3]);
  if (port > 65_535 || (match[1] !== undefined && !hostname.includes(":"))) return undefined;
  return { hostname, port };
}

/** Writes an address so that {@linkcode parseListenAddress} reads it. */
export function formatListenAddress({ hostname, port }: ListenAddress): string {
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}
