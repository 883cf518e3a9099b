/**
 * What a wire format is to the gateway: everything that it has to know to serve calls in it. A new
 * one is a folder with such a value, a line in the registry and its endpoint.
 *
 * @module
 */

import type * as z from "zod";
import type { Capability } from "../../domain/capabilities.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { ModelTraits } from "../../domain/model_traits.ts";
import type { RequestFacts } from "../../domain/request_facts.ts";
import type { Work } from "../../domain/work.ts";
import type { GatewayError } from "../../errors.ts";
import type { AnswerEvent, AnswerFacts } from "./answer.ts";
import type { RoutingFields } from "./routing_fields.ts";
import type { CallersForm, UpstreamsForm } from "./turns_format.ts";

/** What all paths of one vendor's API have alike. */
export interface Family {
  readonly name: string;
  /** Where a request may carry its project key, in the order in which they are tried. */
  readonly keyPlaces: readonly KeyPlace[];
  readonly errorSchema: z.ZodType;
  errorBody(error: GatewayError, requestId: string): JsonObject;
  /** The status of errors that have this one in the table, where it is another. */
  statusOf?(status: number): number;
  /** A further header of every answer that tells the request's id. */
  readonly idHeader?: string;
  /** The headers that tell what a caller's limits leave. */
  readonly rateLimits: {
    readonly requests: RateHeaders;
    readonly tokens: RateHeaders;
    /** Until when: in so many milliseconds from now, which is in milliseconds since the epoch. */
    writeReset(milliseconds: number, now: number): string;
  };
}

/** A header that may carry a key. */
export interface KeyPlace {
  /** Its name, in lower case. */
  readonly header: string;
  /** Its value, with the key as the first group. */
  readonly pattern: RegExp;
  /** How it looks, for who has sent none. */
  readonly shown: string;
}

/** Names of the headers of one limit. */
export interface RateHeaders {
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
}

/** How requests of a capability are written. */
export interface RequestWords {
  /** Where they are sent, by POST, below the API's prefix. */
  readonly path: string;
  /** An upstream's fields that bound what a model writes. */
  readonly limitFields: readonly string[];
  /** The `supports` key of routes that are asked in it; others are asked in chat's dialect. */
  readonly nativeBy?: "responses";
  /** Fields that errors name. */
  readonly fields: {
    readonly prompt: string;
    readonly image?: string;
    readonly schema?: string;
    readonly limit?: string;
  };
}

/** A body that is to be forwarded, and its size as it came: no prompt has more tokens than bytes. */
export interface SizedBody {
  readonly body: Readonly<JsonObject>;
  readonly bodyBytes: number;
}

/** What a model reads of a request, for an estimate of its tokens. */
export interface PromptParts {
  /** The texts whose tokens are to be counted. */
  readonly texts: readonly string[];
  /** Tokens of everything else. */
  readonly otherTokens: number;
}

/** How events become the text that a caller reads. One per stream. */
export interface StreamWriter {
  /** The frames of an event; "" for none. What ends the answer is kept for {@linkcode tail}. */
  frame(event: AnswerEvent): string;
  /** What comes once the call is settled on disk: the end of the answer, with what it says of itself. */
  tail(facts: AnswerFacts): string;
  /** Says that the answer broke off: no client may take what came so far for all of it. */
  errorFrame(error: GatewayError): string;
  /** Shows that the answer is alive where nothing else comes for a while; absent: a comment. */
  readonly keepAlive?: string;
}

/** What the gateway reads of any request for a model. */
export type ModelRequestFields = RoutingFields & {
  readonly model: string;
  readonly stream?: boolean | null | undefined;
};

/** A wire format that only upstreams speak. */
export interface UpstreamDialect {
  readonly name: string;
  /** In words for callers, such as `chat completions`. */
  readonly title: string;
  readonly upstreams: UpstreamsForm;
}

export interface Dialect {
  readonly name: string;
  /** In words for callers, such as `chat completions`. */
  readonly title: string;
  /** How an operator gives a route to it, where providers have it on some routes only. */
  readonly onRoutes?: string;
  readonly family: Family;
  /** Request headers, in lower case, that go on to upstreams of the dialect; absent: none. */
  readonly passedHeaders?: readonly string[];
  readonly capability: Capability;
  /** What the gateway itself reads of a request; the rest is for the model. */
  readonly request: z.ZodType<ModelRequestFields>;
  /** An answer in one piece, for the API's document. */
  readonly answer: z.ZodType;
  readonly words: RequestWords;
  /** What a request needs of a route, and what its price depends on. */
  facts(request: SizedBody, stream: boolean): RequestFacts;
  prompt(body: Readonly<JsonObject>): PromptParts;
  /** The body of a stream whose end is to tell of its usage; absent: it does so anyway. */
  askUsage?(body: JsonObject): JsonObject;
  /** Tokens that an upstream's model counts where our tokenizer counts one; absent: as many. */
  tokenFactor?(upstreamModel: string, own?: ModelTraits): number;
  /** Our own counts, where the upstream reported none. */
  usageBody(usage: Work): JsonObject;
  /** Absent: its answers do not stream. `model` is the logical model, which replaces the upstream's. */
  writer?(body: Readonly<JsonObject>, model: string): StreamWriter;
  /** Where callers may speak it whatever the upstream does. */
  readonly callers?: CallersForm;
  /** Where upstreams may speak it whatever the caller does. */
  readonly upstreams?: UpstreamsForm;
}
