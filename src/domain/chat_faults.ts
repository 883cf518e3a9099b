/**
 * Faults of the built-in chat model on demand, for testing clients and gateways: a suffix of the
 * route's `upstream_model`, never a field of a request.
 *
 * @module
 */

/** The model that takes them: its `upstream_model`, without a fault's suffix. */
export const BUILTIN_CHAT_MODEL = "echo-1";

/** The model of embeddings, which takes them too: a token is one of its input. */
export const BUILTIN_EMBEDDING_MODEL = "hash-embed-1";

/**
 * Every fault, in the form it is written. Several are joined by commas or
 * further colons: `echo-1:slow-20,cut-5`, `echo-1:no-usage:slow-5`.
 */
export const CHAT_FAULTS = {
  "status-N": "answers with HTTP status N (400 to 599); 429 and 503 ask to retry after 1 second",
  "stall": "sends nothing, until a time limit of the provider ends the call",
  "stall-N": "sends N tokens, then nothing, until a time limit of the provider ends the call",
  "cut-N": "closes the connection after N tokens, without a finish reason",
  "slow-N": "takes N milliseconds for each token (at most 60000)",
  "no-usage": "reports no usage",
} as const;

/** The faults of one route. */
export interface ChatFaults {
  readonly status: number | undefined;
  /** Tokens sent before the stall; 0 is before the first byte. */
  readonly stallAfter: number | undefined;
  readonly cutAfter: number | undefined;
  readonly tokenMs: number;
  readonly noUsage: boolean;
}

/**
 * Reads the faults from an upstream model such as `echo-1` or `echo-1:slow-20,cut-5`.
 *
 * @throws {RangeError} For an unknown fault or a number out of range: the operator's mistake.
 */
export function parseChatFaults(upstreamModel: string): ChatFaults {
  const colon = upstreamModel.indexOf(":");
  if (colon < 0) return NO_CHAT_FAULTS;
  let status: number | undefined;
  let stallAfter: number | undefined;
  let cutAfter: number | undefined;
  let tokenMs = 0;
  let noUsage = false;
  for (const fault of upstreamModel.slice(colon + 1).split(/[:,]/)) {
    const [, name, digits] = /^([a-z-]+?)(?:-(\d{1,6}))?$/.exec(fault) ?? [];
    const number = digits === undefined ? undefined : Number(digits);
    if (name === "status" && number !== undefined && number >= 400 && number <= 599) {
      status = number;
    } else if (name === "stall") stallAfter = number ?? 0;
    else if (name === "cut" && number !== undefined) cutAfter = number;
    else if (name === "slow" && number !== undefined && number <= 60_000) tokenMs = number;
    else if (name === "no-usage" && number === undefined) noUsage = true;
    else {
      throw new RangeError(
        `Cannot apply the fault '${fault}' of a built-in chat model: use ${
          Object.keys(CHAT_FAULTS).join(", ")
        }`,
      );
    }
  }
  return { status, stallAfter, cutAfter, tokenMs, noUsage };
}

/** No faults at all. */
export const NO_CHAT_FAULTS: ChatFaults = Object.freeze({
  status: undefined,
  stallAfter: undefined,
  cutAfter: undefined,
  tokenMs: 0,
  noUsage: false,
});
