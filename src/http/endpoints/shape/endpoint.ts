/**
 * One thing that callers can ask for, at one path: all that the router, the document of the API and
 * the answers to what is wrong know of it.
 *
 * @module
 */

import type * as z from "zod";
import type { Family } from "../../../dialects/base/dialect.ts";
import type { ErrorRow } from "../../../errors.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import type { AppContext } from "../../context/request_context.ts";

/** Answers a request. */
export type Handler = (context: AppContext) => Response | Promise<Response>;

/** One of them; what its handler works with is the whole surface's, or less. */
export interface Endpoint<Deps = ApiDeps> {
  readonly method: "GET" | "POST" | "DELETE";
  /**
   * Without a prefix. Parameters stand in braces; one with a plus may have slashes, as in RFC 6570:
   * `/models/{+id}`.
   */
  readonly path: string;
  /** Of the API that it is of; 1 where absent. */
  readonly version?: 1 | 2;
  /** Whether it exists at its path alone; all others exist under each of {@linkcode API_PREFIXES}. */
  readonly isOutside?: true;
  /** Whose keys, errors and headers its requests have; OpenAI's where absent. */
  readonly family?: Family | undefined;
  /** The family of a request's own, where clients of several ask at the same path. */
  readonly familyOf?: (request: Request) => Family | undefined;
  /** Absent where a path is known only to be refused by name. */
  readonly description?: Description;
  /** Makes the handler, once. */
  readonly handler: (deps: Deps) => Handler;
}

/** What the document of the API says of an endpoint. */
export interface Description {
  /** Its name in generated clients. */
  readonly id: string;
  readonly summary: string;
  readonly tags?: readonly string[];
  /** Whether it answers whoever asks; all others need a project key. */
  readonly isPublic?: true;
  /** Whether all of its answers tell what the caller's limits leave. */
  readonly callsModel?: boolean;
  /** Whether the lines of a batch may ask for it. */
  readonly isBatchable?: true;
  /** Whether it takes an `Idempotency-Key`. */
  readonly isRepeatable?: true;
  /** Of the parameters of the path; texts where absent. */
  readonly pathFields?: z.ZodObject;
  readonly query?: z.ZodType | undefined;
  /** Request headers that mean something here. */
  readonly requestHeaders?: readonly string[] | undefined;
  readonly request?: RequestBody | undefined;
  readonly answer: Answer;
  /** Answers that are no errors, beside the usual one. */
  readonly otherAnswers?: { readonly [status: number]: Answer };
  /** Its errors, or the statuses of them. */
  readonly errors: readonly (number | ErrorRow)[];
  /** What is different of `HEAD`, where that is worth telling: every `GET` has one. */
  readonly head?: Partial<Description>;
}

/** A body that is asked for. */
export interface RequestBody {
  readonly schema: z.ZodType;
  /** Its media types. */
  readonly types: readonly string[];
  /** Whether nothing of it need be given. */
  readonly isOptional?: boolean;
}

/** What is answered: JSON of a schema, something else of a media type, or either. */
export interface Answer {
  readonly description?: string;
  readonly schema?: z.ZodType;
  /** Media types of what is no JSON. */
  readonly types?: readonly string[];
  readonly headers?: AnswerHeaders | undefined;
}

/** Headers of an answer, by name. */
export interface AnswerHeaders {
  readonly [name: string]: {
    readonly description: string;
    /** Where it is always the same. */
    readonly value?: string;
  };
}

/** The prefixes under which the whole API exists, before its version: the service specification uses both. */
const API_PREFIXES = ["", "/api/gateway"] as const;

/** Every path at which an endpoint exists, the usual one first. */
export function pathsOf(
  { path, version = 1, isOutside }: Pick<Endpoint, "path" | "version" | "isOutside">,
): readonly string[] {
  return isOutside === true ? [path] : API_PREFIXES.map((prefix) => `${prefix}/v${version}${path}`);
}

/** The headers that are sent with every answer. */
export function fixedHeaders(headers: AnswerHeaders = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, { value }]) =>
      value === undefined ? [] : [[name, value]]
    ),
  );
}
