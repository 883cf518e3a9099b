/**
 * The listener that metrics have for themselves, where they are to have one.
 *
 * @module
 */

import { formatListenAddress, type ListenAddress } from "../config/listen_address.ts";
import { GatewayError } from "../errors.ts";
import type { ApiDeps } from "../http/context/api_deps.ts";
import { listen, type Listener } from "../http/listener.ts";
import { createMetricsHandler, createRefusals } from "../http/server.ts";

/** A scraper or two, and whoever looks by hand: more would take descriptors from callers. */
const MOST_CONNECTIONS = 16;

/**
 * Listens, if there are metrics with an address of their own.
 *
 * @throws {GatewayError} `conflict` when that cannot be listened on.
 */
export function listenForMetrics(
  deps: ApiDeps,
  address: ListenAddress | undefined,
  onError: (error: unknown) => void,
): Listener | undefined {
  if (deps.metrics === undefined || address === undefined) return undefined;
  try {
    return listen(createMetricsHandler(deps, deps.metrics), {
      ...address,
      limits: { maxConnections: MOST_CONNECTIONS },
      onError,
      refusal: createRefusals(deps),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const text = formatListenAddress(address);
    throw new GatewayError(
      "conflict",
      `Cannot listen on ${text}: ${why}. Choose another address with --metrics`,
      {
        cause: error,
      },
    );
  }
}
