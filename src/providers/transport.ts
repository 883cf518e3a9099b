/**
 * The only place that makes upstream HTTP calls: the choice of the
 * implementation behind one interface.
 *
 * @module
 */

import type { Transport, TransportOptions } from "./transport/contract.ts";
import { createFetchTransport } from "./transport/fetch_transport.ts";
import { createHttp1Transport } from "./transport/http1_transport.ts";

export type {
  Transport,
  TransportOptions,
  UpstreamRequest,
  UpstreamResponse,
} from "./transport/contract.ts";

/**
 * The transport of the process: own connections, which cost a fraction of what
 * `fetch` does, and `fetch` where a proxy may apply, because the runtime knows
 * the rules of proxies.
 */
export function createTransport(options: TransportOptions): Transport {
  const own = createHttp1Transport(options);
  const byRuntime = createFetchTransport(options);
  const { http = false, https = false } = options.proxied ?? {};
  return {
    request(request, signal) {
      const isProxied = /^https:/i.test(request.url) ? https : http;
      return (isProxied ? byRuntime : own).request(request, signal);
    },
    close() {
      own.close();
      byRuntime.close();
    },
  };
}
