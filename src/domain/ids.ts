/**
 * Request ids: a random prefix made at start and a rising number. Cheap to
 * make, never the caller's, and the number is the key of the call's row.
 *
 * @module
 */

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const REQUEST_ID = /^req_[a-z2-7]{12}([0-9a-z]{1,11})$/;

/** An id and the number inside it. */
export interface RequestIdentity {
  readonly requestId: string;
  /** The call's key in storage, should the request become a call. */
  readonly callId: number;
}

/** Makes ids that no other start of the gateway makes. */
export class RequestIds {
  readonly #prefix: string;
  #last: number;

  /** @param lastCallId The largest call id already stored. */
  constructor(lastCallId: number) {
    this.#prefix = `req_${randomName(12)}`;
    this.#last = lastCallId;
  }

  /** The next id. */
  next(): RequestIdentity {
    const callId = ++this.#last;
    return { requestId: this.#prefix + callId.toString(36), callId };
  }
}

/** The call id inside a request id, or `undefined` if it is not one of ours. */
export function callIdOf(requestId: string): number | undefined {
  const match = REQUEST_ID.exec(requestId);
  if (match === null) return undefined;
  const callId = Number.parseInt(match[1]!, 36);
  return Number.isSafeInteger(callId) ? callId : undefined;
}

/** `length` random characters of lower-case base32, 5 bits each. */
export function randomName(length: number): string {
  let name = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
    name += ALPHABET[byte & 31];
  }
  return name;
}
