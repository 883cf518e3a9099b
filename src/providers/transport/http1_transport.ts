/**
 * The transport over our own HTTP/1.1 connections: cheaper per call than
 * `fetch`, and able to tell connecting from waiting. It knows no proxies.
 *
 * @module
 */

import { connect, parseTarget, type Target } from "./connect.ts";
import type { Connection } from "./connection.ts";
import { ConnectionPool } from "./connection_pool.ts";
import type { Transport, TransportOptions, UpstreamRequest } from "./contract.ts";
import { Http1Exchange } from "./http1_exchange.ts";

/** What an exchange needs of its transport. */
export interface Http1Options extends TransportOptions {
  /** PEM certificates of authorities that are trusted besides the system's. */
  readonly caCerts?: readonly string[];
  /** Opens a connection in another way than by the network. */
  readonly connect?: (target: Target) => Promise<Connection>;
}

/** URLs whose parsed form is kept; there is one per provider and path. */
const MAX_KNOWN_TARGETS = 1_000;

/** Creates the transport over own connections. */
export function createHttp1Transport(options: Http1Options): Transport {
  const pool = new ConnectionPool(options.clock);
  const targets = new Map<string, Target>();
  const open = options.connect ?? ((target) => connect(target, options.caCerts ?? []));

  function targetOf(url: string): Target {
    let target = targets.get(url);
    if (target === undefined) {
      if (targets.size >= MAX_KNOWN_TARGETS) targets.clear();
      targets.set(url, target = parseTarget(url));
    }
    return target;
  }

  return {
    request(request: UpstreamRequest, signal: AbortSignal) {
      const target = targetOf(request.url);
      return new Http1Exchange(request, { clock: options.clock, signal, target, pool, open })
        .send();
    },
    close: () => pool.close(),
  };
}
