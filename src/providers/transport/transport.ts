/**
 * The only place that makes upstream HTTP calls: the choice of the
 * implementation behind one interface.
 *
 * @module
 */

import type { Transport, TransportOptions } from "./contract.ts";
import { createFetchTransport } from "./fetch_transport.ts";
import { createHttp1Transport } from "./http1_transport.ts";

/**
 * The transport of the process: own connections, which cost a fraction of what
 * `fetch` does, and `fetch` where a proxy may apply, because the runtime knows
 * the rules of proxies. Requests for public addresses alone always take our own
 * connections: a proxy would look the host up again, and may stand inside the
 * very network that they must not reach.
 */
export function createTransport(options: TransportOptions): Transport {
  const own = createHttp1Transport(options);
  const byRuntime = createFetchTransport(options);
  const { http = false, https = false } = options.proxied ?? {};
  const isProxied = (url: string) => /^https:/i.test(url) ? https : http;
  return {
    request(request, signal) {
      const isDirect = request.addresses === "public" || !isProxied(request.url);
      return (isDirect ? own : byRuntime).request(request, signal);
    },
    mayBegin: (url) => !isProxied(url) && own.mayBegin!(url),
    begin: (request, listener) => own.begin!(request, listener),
    close() {
      own.close();
      byRuntime.close();
    },
  };
}
