/**
 * Requests to a fake upstream over HTTP/1.1 connections, and tests that make them.
 *
 * @module
 */

import { systemClock } from "../../src/domain/clock.ts";
import type { Transport, UpstreamRequest } from "../../src/providers/transport/contract.ts";
import {
  createHttp1Transport,
  type Http1Options,
} from "../../src/providers/transport/http1_transport.ts";
import { never, timeouts } from "./provider_parts.ts";

/** Registers a test with a transport of its own, which is closed behind it. */
export function http1Test(
  name: string,
  run: (transport: Transport) => Promise<void>,
  options: Partial<Http1Options> = {},
): void {
  Deno.test(`http1: ${name}`, async () => {
    const transport = createHttp1Transport({ clock: systemClock, ...options });
    try {
      await run(transport);
    } finally {
      transport.close();
    }
  });
}

/** A request with a small body. */
export function post(url: string, changes: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return {
    method: "POST",
    url,
    headers: {},
    body: "{}",
    timeouts: timeouts({}),
    stream: false,
    ...changes,
  };
}

/** The text that an upstream answers such a request with. */
export async function call(transport: Transport, url: string): Promise<string> {
  return await (await transport.request(post(url), never())).text(1_000);
}
