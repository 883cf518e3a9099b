/**
 * `/healthz`: the process answers. `/readyz`: it takes calls, or why not. Neither
 * calls an upstream.
 *
 * @module
 */

import * as z from "zod";
import { jsonResponse } from "../answers/text_response.ts";
import type { Endpoint } from "./shape/endpoint.ts";

/** Liveness: 200 as long as the event loop turns. */
export const healthz: Endpoint = {
  method: "GET",
  path: "/healthz",
  isOutside: true,
  description: {
    id: "healthz",
    summary: "The process answers",
    isPublic: true,
    answer: { description: "Yes", schema: z.object({ status: z.literal("ok") }) },
    errors: [],
  },
  handler: () => ({ env }) => jsonResponse({ status: "ok" }, env.identity.requestId),
};

const texts = z.array(z.string());

function readiness<Status extends string>(status: Status) {
  return z.object({ status: z.literal(status), reasons: texts, warnings: texts });
}

/** Readiness: 200, or 503 with reasons; warnings either way. */
export const readyz: Endpoint = {
  method: "GET",
  path: "/readyz",
  isOutside: true,
  description: {
    id: "readyz",
    summary: "The gateway takes calls, or why not",
    isPublic: true,
    answer: { description: "Yes", schema: readiness("ready") },
    otherAnswers: { 503: { description: "No, with reasons", schema: readiness("not_ready") } },
    errors: [],
  },
  handler: (deps) => ({ env }) => {
    const { ready, reasons, warnings } = deps.readiness();
    return jsonResponse(
      { status: ready ? "ready" : "not_ready", reasons, warnings },
      env.identity.requestId,
      ready ? 200 : 503,
    );
  },
};
