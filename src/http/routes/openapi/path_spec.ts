/**
 * One path of the API, for its document.
 *
 * @module
 */

import type * as z from "zod";

/** What the document says of a path under each prefix. */
export interface PathSpec {
  readonly method: "get" | "post" | "delete" | "head";
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  /** Request headers that mean something here. */
  readonly headers?: readonly string[];
  readonly request?: z.ZodType;
  /** Media types of the request; JSON if absent. */
  readonly requestTypes?: readonly string[];
  /** The JSON answer; absent where a file is sent. */
  readonly answer?: z.ZodType;
  /** Media types of a file. */
  readonly answerTypes?: readonly string[];
  readonly isFile?: true;
  readonly streams?: true;
  readonly errors: readonly number[];
}
