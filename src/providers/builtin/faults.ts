/**
 * Faults on demand, for testing clients and gateways: a suffix of the route's
 * `upstream_model`, never a field of a request.
 *
 * @module
 */

import { UpstreamError } from "../provider.ts";

/**
 * Every fault, in the form it is written. Several are joined by commas or
 * further colons: `echo-1:slow-20,cut-5`, `echo-1:no-usage:slow-5`.
 */
export const FAULTS = {
  "status-N": "answers with HTTP status N (400 to 599); 429 and 503 ask to retry after 1 second",
  "stall": "sends nothing, until a time limit of the provider ends the call",
  "stall-N": "sends N tokens, then nothing, until a time limit of the provider ends the call",
  "cut-N": "closes the connection after N tokens, without a finish reason",
  "slow-N": "takes N milliseconds for each token (at most 60000)",
  "no-usage": "reports no usage",
} as const;

/** The faults of one route. */
export interface Faults {
  readonly status: number | undefined;
  /** Tokens sent before the stall; 0 is before the first byte. */
  readonly stallAfter: number | undefined;
  readonly cutAfter: number | undefined;
  readonly tokenMs: number;
  readonly noUsage: boolean;
}

/**
 * Reads the suffix of an upstream model, without its first colon.
 *
 * @throws {UpstreamError} `operator` for an unknown fault or a number out of range.
 */
export function parseFaults(suffix: string): Faults {
  let status: number | undefined;
  let stallAfter: number | undefined;
  let cutAfter: number | undefined;
  let tokenMs = 0;
  let noUsage = false;
  for (const fault of suffix.split(/[:,]/)) {
    const [, name, digits] = /^([a-z-]+?)(?:-(\d{1,6}))?$/.exec(fault) ?? [];
    const number = digits === undefined ? undefined : Number(digits);
    if (name === "status" && number !== undefined && number >= 400 && number <= 599) {
      status = number;
    } else if (name === "stall") stallAfter = number ?? 0;
    else if (name === "cut" && number !== undefined) cutAfter = number;
    else if (name === "slow" && number !== undefined && number <= 60_000) tokenMs = number;
    else if (name === "no-usage" && number === undefined) noUsage = true;
    else {
      throw new UpstreamError(
        "operator",
        `Cannot apply the fault '${fault}' of a built-in model: use ${
          Object.keys(FAULTS).join(", ")
        }`,
      );
    }
  }
  return { status, stallAfter, cutAfter, tokenMs, noUsage };
}

/** No faults at all. */
export const NO_FAULTS: Faults = Object.freeze({
  status: undefined,
  stallAfter: undefined,
  cutAfter: undefined,
  tokenMs: 0,
  noUsage: false,
});
