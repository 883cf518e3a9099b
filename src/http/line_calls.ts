/**
 * Lines of batches as requests of this gateway's own API: whatever holds for a caller's request
 * holds for them.
 *
 * @module
 */

import { Hono } from "@hono/hono";
import { type CallLine, type LineCall, usageOf } from "../batches/line_calls.ts";
import type { BatchUsage } from "../domain/batch.ts";
import type { ApiDeps } from "./context/api_deps.ts";
import type { AppEnv, BatchLineRequest, RequestBindings } from "./context/request_context.ts";
import { type Endpoint, pathsOf } from "./endpoints/shape/endpoint.ts";
import { innerRequest } from "./listener/inner_request.ts";
import { LeanResponse } from "./listener/lean_response.ts";
import { LiteralRouter } from "./literal_router.ts";
import { createRequestHandler, mountEndpoints } from "./request_handler.ts";

/** What clients of every family send besides their key. */
const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  "anthropic-version": "2023-06-01",
};

/** Paths that lines may ask for, of these endpoints. */
export function batchPaths(endpoints: readonly Endpoint[]): readonly string[] {
  return endpoints.filter(isBatchable).map((endpoint) => pathsOf(endpoint)[0]!);
}

function isBatchable({ description }: Endpoint): boolean {
  return description?.isBatchable === true;
}

/** Makes what asks for lines, over those endpoints that take them. */
export function createLineCalls(endpoints: readonly Endpoint[], deps: ApiDeps): CallLine {
  const app = new Hono<AppEnv>({ router: new LiteralRouter() });
  const families = mountEndpoints(app, endpoints.filter(isBatchable), deps);
  const handle = createRequestHandler(app, deps, families);
  /** What a guard has still to look at may be stored by no call; its key has it paid for once. */
  const isLater = deps.guard?.looksAtAnswers === true;
  return async ({ caller, batchId, name, url, body, signal, make }) => {
    const { request, end } = innerRequest({ path: url, headers: HEADERS, body, signal });
    let env: RequestBindings | undefined;
    let usage: BatchUsage | undefined;
    const batchLine: BatchLineRequest = {
      caller,
      batchId,
      key: isLater ? name : undefined,
      make: isLater ? noteUsage : make,
      onAnswer: (answered) => env = answered,
    };
    function noteUsage(...[, { closed }]: Parameters<LineCall["make"]>): undefined {
      usage = usageOf(closed);
    }
    try {
      const response = await handle(request, { remoteAddress: "batch", batchLine });
      const retryAfter = response.headers.get("retry-after");
      return {
        status: response.status,
        requestId: env!.identity.requestId,
        text: await textOf(response),
        code: env!.note.errorCode,
        retryAfterSeconds: retryAfter === null ? undefined : Number(retryAfter),
        usage,
      };
    } finally {
      end();
    }
  };
}

async function textOf(response: Response): Promise<string> {
  const content = LeanResponse.of(response)?.content;
  if (content === undefined || typeof content === "string") return await response.text();
  if (!("next" in content)) throw new TypeError("Cannot take a file for the answer of a line");
  let text = "";
  for (let part = await content.next(); part !== undefined; part = await content.next()) {
    text += part;
  }
  return text;
}
