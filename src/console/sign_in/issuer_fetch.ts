/**
 * Requests to an issuer, as the library of OpenID Connect makes them: through the transport that all
 * requests take, within limits of size and time. Redirects are answers, never followed.
 *
 * @module
 */

import type { Transport } from "../../providers/transport/contract.ts";
import { isPrivateWay } from "../../domain/oidc.ts";

/** Of an answer: keys and claims of the largest issuers take a tenth of it. */
const MAX_BYTES = 512 * 1024;
const TIMEOUTS = { connectMs: 5_000, firstByteMs: 10_000, idleMs: 10_000, totalMs: 10_000 };

/** What the library asks with. */
export interface IssuerRequest {
  readonly body?: URLSearchParams | string | null | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
}

/** The part of `fetch` that the library uses. */
export type IssuerFetch = (url: string, request: IssuerRequest) => Promise<Response>;

/** @throws {UpstreamError} When there is no answer, none in time, or one that is too large. */
export function createIssuerFetch(transport: Pick<Transport, "request">): IssuerFetch {
  return async function issuerFetch(url, { method, headers, body }) {
    if (!isPrivateWay(url)) {
      throw new TypeError(`its address ${url.slice(0, 200)} is neither https nor on this machine`);
    }
    const signal = AbortSignal.timeout(TIMEOUTS.totalMs);
    const answer = await transport.request({
      method: method === "POST" ? "POST" : "GET",
      url,
      headers,
      body: body?.toString(),
      timeouts: TIMEOUTS,
      peer: "The issuer",
      stream: false,
    }, signal);
    const text = await answer.text(MAX_BYTES);
    const named = ["content-type", "www-authenticate"].flatMap((name) => {
      const value = answer.header(name);
      return value === undefined ? [] : [[name, value] as [string, string]];
    });
    const isEmpty = answer.status === 204 || answer.status === 205 || answer.status === 304;
    return new Response(isEmpty ? null : text, { status: answer.status, headers: named });
  };
}
