/**
 * Opens connections to upstreams.
 *
 * @module
 */

import { UpstreamError } from "../../provider.ts";
import { UpstreamSocket } from "./upstream_socket.ts";

/** Where an upstream listens. */
export interface Origin {
  /** `https://api.example.com:443`: the key of the pool. */
  readonly key: string;
  readonly secure: boolean;
  /** A name or an address, without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** The `host` header. */
  readonly host: string;
}

/** The origin of an absolute http or https URL. */
export function originOf(url: URL): Origin {
  const secure = url.protocol === "https:";
  return {
    key: url.origin,
    secure,
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
    host: url.host,
  };
}

/**
 * Connects, by TLS where the URL says so (the certificate must name the host).
 *
 * @throws {UpstreamError} `broken` when it cannot, or not within `timeoutMs`; `aborted` by the signal.
 */
export async function dial(
  origin: Origin,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<UpstreamSocket> {
  const { hostname, port, secure } = origin;
  const connecting: Promise<Deno.Conn> = secure
    ? Deno.connectTls({ hostname, port, alpnProtocols: ["http/1.1"] })
    : Deno.connect({ hostname, port });
  const conn = await orGiveUp(connecting, timeoutMs, signal);
  // Small writes of a request must not wait for the acknowledgement of the one before.
  if ("setNoDelay" in conn) (conn as Deno.TcpConn).setNoDelay(true);
  return new UpstreamSocket(conn);
}

/** Waits for a connection; one that comes too late is closed when it comes. */
function orGiveUp(
  connecting: Promise<Deno.Conn>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Deno.Conn> {
  return new Promise((resolve, reject) => {
    const giveUp = (error: UpstreamError) => {
      end();
      connecting.then((conn) => conn.close(), ignoreFailure);
      reject(error);
    };
    const timer = setTimeout(
      () => giveUp(new UpstreamError("broken", `Cannot connect within ${timeoutMs} ms`)),
      timeoutMs,
    );
    const onAbort = () => giveUp(new UpstreamError("aborted", "The call was aborted"));
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    connecting.then((conn) => {
      end();
      resolve(conn);
    }, (cause) => {
      end();
      reject(new UpstreamError("broken", "Cannot connect to the upstream", { cause }));
    });
  });
}

/** The failure was told already: as a time limit or an abort. */
function ignoreFailure(): void {}
