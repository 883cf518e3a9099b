/**
 * `/healthz`: the process answers. `/readyz`: it takes calls, or why not. Neither
 * calls an upstream.
 *
 * @module
 */

import * as z from "zod";
import type { NodeReadiness } from "../context/api_deps.ts";
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
  return z.object({ status: z.literal(status), reasons: texts, warnings: texts, node });
}

const seconds = z.number();

const node = z.object({
  session: z.number().describe("Which of them this is, as `tollgate nodes list` shows it."),
  nodes: z.number().describe("Processes that use the database, this one too."),
  database_silence_seconds: seconds.describe("Since the database server's last answer."),
  database_unconfirmed_seconds: seconds.describe(
    "For how long that server has confirmed nothing of what is being written.",
  ),
  changes_age_seconds: seconds.describe("Since it was known what others have changed."),
  clock_ahead_seconds: seconds.describe("This machine's clock before the server's."),
}).optional().describe("Where processes share a database on a server.");

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
    const { ready, reasons, warnings, node } = deps.readiness();
    return jsonResponse(
      { status: ready ? "ready" : "not_ready", reasons, warnings, node: node && shown(node) },
      env.identity.requestId,
      ready ? 200 : 503,
    );
  },
};

function shown({ session, nodes, ...milliseconds }: NodeReadiness) {
  const { silentMs, unconfirmedMs, changesAgeMs, clockAheadMs } = milliseconds;
  return {
    ...{ session, nodes },
    database_silence_seconds: silentMs / 1_000,
    database_unconfirmed_seconds: unconfirmedMs / 1_000,
    changes_age_seconds: changesAgeMs / 1_000,
    clock_ahead_seconds: clockAheadMs / 1_000,
  };
}
