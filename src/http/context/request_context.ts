/**
 * What the HTTP surface knows of a request besides the request itself.
 *
 * @module
 */

import type { Context } from "@hono/hono";
import type { Caller } from "../../accounts/key_directory.ts";
import type { BatchLine } from "../../domain/batch.ts";
import type { LineCall } from "../../batches/line_calls.ts";
import type { Family } from "../../dialects/base/dialect.ts";
import type { RequestIdentity } from "../../domain/ids.ts";
import type { GatewayError } from "../../errors.ts";
import type { Tags } from "../../domain/tags.ts";

/** What is learnt about a request on its way, for its line in the log. */
export interface RequestNote {
  /** Set once the request is a metered call, which logs itself when it closes. */
  isCall: boolean;
  /** Set once a hold was taken for it, whatever became of that. */
  hasBegun?: true;
  /** Of whoever asks. */
  readonly address: string | undefined;
  projectId: string | undefined;
  /** Id of the project key, never the key. */
  keyId: string | undefined;
  /** As the caller named it: any text, whose length its schema bounds. */
  model: string | undefined;
  errorCode: string | undefined;
  /** Of a request that was refused, why. */
  refusal?: GatewayError;
}

/** Whose line of a batch a request is, and what is stored of its answer with the end of its call. */
export interface BatchLineRequest extends Pick<LineCall, "caller" | "batchId"> {
  /** Its idempotency key, of a form that no caller can send, where it has to have one. */
  readonly key: string | undefined;
  /** Gives nothing where its answer is stored when more is known of it than with the end of its call. */
  readonly make: (...answer: Parameters<LineCall["make"]>) => BatchLine | undefined;
  /** Hears what is known of the request when it is answered. */
  readonly onAnswer: (env: RequestBindings) => void;
}

/** Whose a request is that comes from here. */
export interface InsideRequest {
  readonly caller: Caller;
  /** What its call is called by whatever it says itself. */
  readonly tags?: Tags | undefined;
}

/** Handed to every handler as Hono's bindings. */
export interface RequestBindings {
  readonly identity: RequestIdentity;
  /** Monotonic milliseconds. */
  readonly arrivedAt: number;
  /** The peer's IP address, or whom a trusted proxy names; `unix`, or `batch`. */
  readonly remoteAddress: string;
  readonly note: RequestNote;
  /** Whose keys, errors and headers this request has: OpenAI's, unless its endpoint says otherwise. */
  family: Family;
  /** Set of a request that is a line of a batch: it comes from here, and carries no key. */
  readonly batchLine: BatchLineRequest | undefined;
  /** Set of a request that carries no key, as it comes from here: of a line of a batch, or of the console. */
  readonly inside: InsideRequest | undefined;
  /** Set where the answer tells what this caller's limits leave. */
  limited: Caller | undefined;
}

/** A request for a file, as much as is needed to send it. */
export interface AskedFor {
  readonly req: { readonly raw: Request; readonly method: string };
  readonly env: Pick<RequestBindings, "identity">;
}

/** The type of the gateway's Hono apps. */
export type AppEnv = { Bindings: RequestBindings };

/** The type of a handler's context. */
export type AppContext = Context<AppEnv>;
