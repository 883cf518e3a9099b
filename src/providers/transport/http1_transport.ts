/**
 * The transport over our own HTTP/1.1 connections: cheaper per call than
 * `fetch`, and able to tell connecting from waiting. It knows no proxies.
 *
 * @module
 */

import { connect, parseTarget, type Target } from "./connect.ts";
import { connectPublic, type PublicNet } from "./connect_public.ts";
import type { Connection } from "./connection.ts";
import { ConnectionPool } from "./connection_pool.ts";
import {
  ADDRESS_REFUSED,
  type Transport,
  type TransportOptions,
  type UpstreamRequest,
} from "./contract.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import { Http1Exchange } from "./http1_exchange.ts";

/** What an exchange needs of its transport. */
export interface Http1Options extends TransportOptions {
  /** PEM certificates of authorities that are trusted besides the system's. */
  readonly caCerts?: readonly string[];
  /** Opens a connection in another way than by the network. */
  readonly connect?: (target: Target) => Promise<Connection>;
  /** What requests to public addresses use instead of the system's network. */
  readonly publicNet?: PublicNet;
}

/** URLs whose parsed form is kept; chat has one per provider and path. */
const MAX_KNOWN_TARGETS = 1_000;

/** Creates the transport over own connections. */
export function createHttp1Transport(options: Http1Options): Transport {
  const pool = new ConnectionPool(options.clock);
  const targets = new Map<string, Target>();
  const { caCerts = [], publicNet } = options;
  const openAny = options.connect ?? ((target: Target) => connect(target, caCerts));
  const open = (target: Target): Promise<Connection> =>
    target.isPublicOnly ? connectPublic(target, { caCerts, net: publicNet }) : openAny(target);

  function targetOf({ url, addresses }: UpstreamRequest): Target {
    if (addresses === "public") return parseTarget(url, { isPublicOnly: true });
    let target = targets.get(url);
    if (target === undefined) {
      if (targets.size >= MAX_KNOWN_TARGETS) targets.clear();
      targets.set(url, target = parseTarget(url));
    }
    return target;
  }

  return {
    async request(request: UpstreamRequest, signal: AbortSignal) {
      if (request.addresses === "public" && !isHttpUrl(request.url)) {
        throw new UpstreamError("caller", "The request was not sent: its URL is not one of HTTP", {
          code: ADDRESS_REFUSED,
        });
      }
      const target = targetOf(request);
      const { clock } = options;
      return await new Http1Exchange(request, { clock, target, pool, open }).send(signal);
    },
    mayBegin: (url) => {
      const target = targets.get(url);
      return target !== undefined && pool.hasIdle(target.origin);
    },
    begin(request, listener) {
      const { clock } = options;
      const exchange = new Http1Exchange(request, { clock, target: targetOf(request), pool, open });
      return exchange.begin(listener) ? exchange : undefined;
    },
    close: () => pool.close(),
  };
}

/** Operators' URLs are checked when they are configured; a stranger's is checked here. */
function isHttpUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}
