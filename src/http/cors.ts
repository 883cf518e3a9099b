/**
 * Lets web pages of other origins call the API (CORS), where the operator names them. Keys are sent as
 * headers: no cookie is ever asked for, so credentials are never allowed. Administration is for no page.
 *
 * @module
 */

import { ANTHROPIC } from "../dialects/anthropic_messages/family.ts";
import type { Family } from "../dialects/base/dialect.ts";
import { OPENAI } from "../dialects/openai/family.ts";
import type { ApiDeps } from "./context/api_deps.ts";
import type { RequestHandler } from "./listener/contract.ts";
import { IncomingRequest } from "./listener/incoming_request.ts";
import { LeanResponse } from "./listener/lean_response.ts";
import { emptyNote } from "./request_frame.ts";

/** Stands for every origin. */
const ANY = "*";

/** What pages may read of an answer besides what they always may. */
const EXPOSED = [
  "x-request-id",
  "request-id",
  "retry-after",
  "x-should-retry",
  ...[OPENAI, ANTHROPIC].flatMap(rateLimitNames),
  "x-tollgate-provider",
  "x-tollgate-route",
  "x-tollgate-first-request-id",
  "idempotent-replayed",
  "openai-poll-after-ms",
  "content-range",
  "accept-ranges",
  "etag",
].join(", ");

const METHODS = "GET, HEAD, POST, DELETE";
/** What browsers keep a preflight's answer for at most. */
const MAX_AGE_SECONDS = "7200";

/** Names of headers: clients have their own (`anthropic-*`, `x-stainless-*`), and new ones with each release. */
const HEADER_NAMES = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}( *, *[a-z0-9!#$%&'*+.^_`|~-]{1,100}){0,99}$/i;

/** What answers depend on where not every page may read them. */
const VARY_ORIGIN = { vary: "origin" };

const NOTHING = {};

/** The handler, with what browsers ask for before they let a page call and read; itself for no origins. */
export function withCors(
  serve: RequestHandler,
  { ids, clock, onRequest }: Pick<ApiDeps, "ids" | "clock" | "onRequest">,
  origins: readonly string[] | undefined,
): RequestHandler {
  if (origins === undefined) return serve;
  const isAny = origins.includes(ANY);
  const known = new Set(origins);
  const everywhere = isAny ? NOTHING : VARY_ORIGIN;
  return async (request, info) => {
    const path = new URL(request.url).pathname;
    if (path === "/admin" || path.startsWith("/admin/")) return await serve(request, info);
    const origin = IncomingRequest.header(request, "origin");
    const allowed = origin === null || !(isAny || known.has(origin.toLowerCase()))
      ? undefined
      : { ...everywhere, "access-control-allow-origin": isAny ? ANY : origin };
    const isPreflight = request.method === "OPTIONS" && origin !== null &&
      IncomingRequest.header(request, "access-control-request-method") !== null;
    if (!isPreflight || allowed === undefined) {
      const answer = await serve(request, info);
      return LeanResponse.withHeaders(
        answer,
        allowed === undefined
          ? everywhere
          : { ...allowed, "access-control-expose-headers": EXPOSED },
      );
    }
    const begun = clock.monotonic();
    const { requestId } = ids.next();
    onRequest({
      requestId,
      method: request.method,
      path,
      status: 204,
      milliseconds: Math.round(clock.monotonic() - begun),
      address: info.remoteAddress,
      note: emptyNote(),
      cause: undefined,
    });
    return LeanResponse.make("", {
      status: 204,
      headers: { "x-request-id": requestId, ...preflight(request), ...allowed },
    });
  };
}

/** What a page may send: it asks by names. */
function preflight(request: Request): Readonly<Record<string, string>> {
  const asked = IncomingRequest.header(request, "access-control-request-headers");
  const isLocal = IncomingRequest.header(request, "access-control-request-private-network");
  return {
    "access-control-allow-methods": METHODS,
    "access-control-max-age": MAX_AGE_SECONDS,
    ...(asked !== null && HEADER_NAMES.test(asked) && { "access-control-allow-headers": asked }),
    // A public page, and a gateway on the same machine or network.
    ...(isLocal === "true" && { "access-control-allow-private-network": "true" }),
  };
}

function rateLimitNames({ rateLimits: { requests, tokens } }: Family): readonly string[] {
  return [requests, tokens].flatMap(({ limit, remaining, reset }) => [limit, remaining, reset]);
}
