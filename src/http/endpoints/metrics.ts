/**
 * `/metrics`, for Prometheus. It is no part of the API that its document tells of.
 *
 * @module
 */

import { LeanResponse } from "../listener/lean_response.ts";
import { requireBearer } from "../callers/require_bearer.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";
import type { MetricsFormat, MetricsPage } from "../context/api_deps.ts";
import type { Endpoint } from "./shape/endpoint.ts";

/** Makes the endpoint. `tokens`: whoever sends one of them as bearer is answered; none: everybody. */
export function metricsEndpoint(page: MetricsPage, tokens: readonly string[]): Endpoint {
  const check = tokens.length === 0 ? () => {} : requireBearer(
    tokens,
    "/metrics needs the metrics token: send 'Authorization: Bearer <token>' " +
      "(in Prometheus authorization.credentials_file)",
  );
  return {
    method: "GET",
    path: "/metrics",
    isOutside: true,
    handler: () => ({ env, req }) => {
      check(req.header("authorization"));
      const { text, type } = page.read(formatOf(IncomingRequest.header(req.raw, "accept")));
      return LeanResponse.make(text, {
        headers: {
          "content-type": type,
          "cache-control": "no-store",
          "x-request-id": env.identity.requestId,
        },
      });
    },
  };
}

/** Prometheus names OpenMetrics where it reads it, with the higher weight; others want the older format. */
function formatOf(accept: string | null): MetricsFormat {
  const asked = (accept ?? "").split(",").map((part) => {
    const [type = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const weight = parameters.find((text) => text.startsWith("q="))?.slice(2);
    return { type, weight: weight === undefined ? 1 : Number(weight) };
  });
  const weightOf = (type: string) =>
    Math.max(0, ...asked.filter((one) => one.type === type).map(({ weight }) => weight || 0));
  const open = weightOf("application/openmetrics-text");
  return open > 0 && open >= weightOf("text/plain") ? "openmetrics" : "prometheus";
}
