/**
 * What authorises a request where no key alone does: a token that has to be had first, or a signature
 * over what is sent.
 *
 * @module
 */

import type { UpstreamRequest } from "../transport/contract.ts";

/** A request that is about to be sent, whole but for what authorises it. */
export type Unauthorised = Pick<UpstreamRequest, "method" | "url" | "headers" | "body">;

export interface Authority {
  /**
   * The headers that authorise a request, by lower-case name.
   *
   * @throws {UpstreamError} `operator` when there is nothing to authorise it with.
   */
  headersFor(
    request: Unauthorised,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, string>>>;
  /** What must not be seen besides the values of references. */
  readonly secrets: readonly string[];
  /**
   * What was had may have changed, or is not taken any more: the next request has it anew.
   *
   * @param refused Headers that were not taken; absent: whatever there is.
   * @returns Whether others are had when it is asked again.
   */
  forget(refused?: Readonly<Record<string, string>>): boolean;
}
