/**
 * Administration, once: each operation is a value with a name, a path under
 * `/admin/v1`, a schema for its input and a function. The HTTP surface mounts
 * them, the CLI calls them (over the control socket or in process), the console
 * will.
 *
 * @module
 */

import type * as z from "zod";
import type { AdminDeps } from "./deps.ts";

/** Whether an operation reads or changes something. */
export type OperationMethod = "GET" | "POST" | "DELETE";

/**
 * One administrative operation. `{name}` parts of the path are taken from the
 * input by that name; the rest of the input is the query (GET, DELETE) or the
 * JSON body (POST). Input and output are plain JSON values: amounts are decimal
 * strings with 8 fractional digits, times ISO 8601.
 */
export interface Operation<Input, Output> {
  /** `resource.verb`, such as `keys.create`. */
  readonly name: string;
  readonly method: OperationMethod;
  /** Below `/admin/v1`, such as `/keys/{key_id}/disable`. */
  readonly path: string;
  /**
   * Set where a POST changes nothing. Every other operation than a GET changes something, and
   * leaves a row in the audit log when it did.
   */
  readonly readOnly?: true;
  /** Set where it writes wherever it is told: only for whoever may open the control socket. */
  readonly isLocal?: true;
  /** One sentence for the API document. */
  readonly summary: string;
  readonly input: z.ZodType<Input>;
  /** @throws {GatewayError} */
  run(deps: AdminDeps, input: Input): Promise<Output>;
}

/** Declares an operation with its types inferred. */
export function defineOperation<Input, Output>(
  operation: Operation<Input, Output>,
): Operation<Input, Output> {
  return operation;
}
