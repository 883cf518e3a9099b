/**
 * What callers ask and models say, in nobody's dialect: the scenarios are written in it, every
 * caller's side writes the one and reads the other, every vendor's fake the other way round.
 *
 * @module
 */

import type { RecordedRequest, Reply } from "../../support/fake_upstream.ts";

/** A call of a tool. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A tool on offer. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: object;
}

/** One turn of a conversation. */
export type Turn =
  | {
    readonly by: "user";
    readonly text: string;
    /** Of a PNG and a PDF, base64. */
    readonly image?: string;
    readonly document?: string;
  }
  | { readonly by: "model"; readonly text?: string; readonly calls?: readonly Call[] }
  | {
    readonly by: "tools";
    readonly results: readonly { readonly of: Call; readonly text: string }[];
  };

/** What is asked. */
export interface Question {
  readonly system?: string;
  readonly turns: readonly Turn[];
  readonly tools?: readonly Tool[];
  readonly mostTokens?: number;
  /** How much to think. */
  readonly effort?: string;
  /** The schema of the answer. */
  readonly schema?: object;
}

/** The same as a vendor heard it. */
export interface Heard {
  readonly model: string;
  readonly system: string;
  /** Of users and models, in order; without empty ones. */
  readonly texts: readonly string[];
  readonly images: readonly string[];
  readonly documents: readonly string[];
  readonly tools: readonly Tool[];
  readonly calls: readonly Omit<Call, "id">[];
  readonly results: readonly { readonly name?: string; readonly text: string }[];
  readonly mostTokens: number | undefined;
  readonly effort: string | undefined;
  readonly schema: object | undefined;
}

/** Tokens, in parts that have nothing in common. */
export interface Counts {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly thoughts: number;
}

/** Why a model stopped. */
export type Reason = "end" | "length" | "calls" | "refused";

/** What a model says. */
export interface Said {
  readonly thoughts: string;
  readonly text: string;
  readonly calls: readonly Call[];
  readonly reason: Reason;
  readonly counts: Counts;
}

/** What a caller reads of an answer. */
export interface Read extends Said {
  readonly provider: unknown;
  readonly route: unknown;
  readonly cost: unknown;
}

/** A refusal as a caller reads it. */
export interface ReadError {
  readonly status: number;
  readonly message: string;
}

/** A dialect from its caller's side. */
export interface Caller {
  readonly name: string;
  readonly path: string;
  /** Where it asks how many tokens a question has, where it can; and what the answer is called. */
  readonly countPath?: string;
  body(question: Question, model: string): Record<string, unknown>;
  read(body: Record<string, unknown>): Read;
  /** Of the text of a whole event stream. @throws {Error} With the message of an error within. */
  readStream(text: string): Read;
  readError(status: number, body: Record<string, unknown>): ReadError;
}

/** How a vendor fails. */
export interface Failure {
  readonly kind: "busy" | "broken" | "caller";
  readonly message: string;
}

/** A vendor, scripted. */
export interface Vendor {
  readonly name: string;
  /** Lines of the catalogue file for the provider `vendor`, without its id. */
  provider(origin: string): string;
  /** What its routes have to say besides, as lines of the catalogue file. */
  readonly route?: string;
  /** Callers that reach it; all where absent. */
  readonly callers?: readonly string[];
  /** Whether its ids of calls are its own, not made here. */
  readonly givesIds: boolean;
  /** Callers whose questions it counts itself; those of others are estimated. */
  readonly counting?: readonly string[];
  /** What of the counts it tells. */
  told?(counts: Counts): Counts;
  /** Which stop it has no word for, and what it says instead. */
  readonly reasons?: { readonly [reason in Reason]?: Reason };
  isStream(request: RecordedRequest): boolean;
  answer(said: Said): Reply;
  stream(said: Said): Reply;
  /** A stream that breaks off after the text. */
  cut(said: Said): Reply;
  fail(failure: Failure): Reply;
  hear(request: RecordedRequest): Heard;
}

/** A text in two pieces, as streams have it; none of an empty one. */
export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== "");
}

/** The objects of the `data:` lines, and whether the last one was `[DONE]`. */
export function eventsOf(text: string): Record<string, unknown>[] {
  return text.split("\n").filter((line) => line.startsWith("data: ") && line !== "data: [DONE]")
    .map((line) => JSON.parse(line.slice(6)));
}
