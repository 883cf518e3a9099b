/**
 * Objects that are given to callers: whole or in part, checked against what was put, with a word for
 * whoever waits when the bucket does not do what it is asked.
 *
 * @module
 */

import { GatewayError } from "../errors.ts";
import type { ObjectStore } from "./object_store.ts";

/** Bytes in a bucket, to be sent. Its methods throw {@linkcode GatewayError} `films_away`. */
export interface StoredObject {
  /** As an operator writes it. */
  readonly address: string;
  /** How many there are; `undefined` where there is no such object. */
  bytes(): Promise<number | undefined>;
  /** Those of `span`, or all; `undefined` where there is no such object. */
  open(
    span?: { readonly start: number; readonly length: number },
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | undefined>;
  /** Makes an address in the bucket for whoever asks, with these headers in its answer; absent: nobody is sent there. */
  readonly linkTo: ((headers: Readonly<Record<string, string>>) => Promise<string>) | undefined;
}

/** Which object. */
export interface StoredObjectOptions {
  /** It gives up in seconds: somebody waits. */
  readonly quick: ObjectStore;
  readonly key: string;
  /** What was put there, where that is known: nothing else is sent. */
  readonly known?: { readonly bytes: number; readonly sha256: string } | undefined;
  /** Whether whoever asks may be sent on to the bucket. */
  readonly redirects: boolean;
}

/** How long an address in the bucket is good. */
const LINK_SECONDS = 300;
const RETRY_SECONDS = 10;

/** An object to be sent; nobody is asked yet. */
export function storedObject(
  { quick, key, known, redirects }: StoredObjectOptions,
): StoredObject {
  const address = quick.addressOf(key);
  return {
    address,
    bytes: async () => (await away(quick.head(key), "Try again"))?.bytes,
    open: async (span) => {
      const found = await away(quick.get(key, { span }), "Try again");
      if (found === undefined) return undefined;
      const isKnown = known === undefined || found.sha256 === known.sha256 &&
          found.bytes === (span?.length ?? known.bytes);
      if (isKnown) return found.body;
      await found.body.cancel();
      throw new Error(`${address} is not what was put there`);
    },
    linkTo: redirects
      ? (headers) => quick.linkTo(key, { seconds: LINK_SECONDS, headers })
      : undefined,
  };
}

/**
 * Says to whoever waits that the bucket does not do what it is asked.
 *
 * @param whatNow What that means for it.
 * @throws {GatewayError} `films_away`
 */
export async function away<Value>(asked: Promise<Value>, whatNow: string): Promise<Value> {
  try {
    return await asked;
  } catch (cause) {
    throw new GatewayError(
      "films_away",
      `The bucket that has the gateway's films and files does not answer as it should. ${whatNow}`,
      { cause, retryAfterSeconds: RETRY_SECONDS },
    );
  }
}
