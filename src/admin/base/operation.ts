/**
 * Administration, once: each operation is a value with a name, a path under
 * `/admin/v1`, schemas for what it takes and what it answers, and a function. The
 * HTTP surface mounts them and makes its document from them, the command line makes
 * its commands from them, the client calls them.
 *
 * @module
 */

import type * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import type { Rank } from "../../domain/roles.ts";
import type { ErrorName } from "../../errors.ts";
import type { AdminDeps, ChangedKind } from "./deps.ts";

/** How an operation is asked for: a GET reads, a DELETE takes away, a POST does the rest. */
export type OperationMethod = "GET" | "POST" | "DELETE";

/** What every administrative operation says of itself, wherever it runs. */
export interface OperationShape<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  /** `resource.verb`, such as `keys.create`. */
  readonly name: string;
  /**
   * Set where it changes something: what kind of thing the row of the audit log is about that it
   * leaves when it did.
   */
  readonly changes?: ChangedKind;
  /** Set where it may take minutes. */
  readonly isLong?: true;
  /** One sentence for the API document. */
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  /** What it refuses, besides input that the schema refuses. */
  readonly errors: readonly ErrorName[];
}

/**
 * An operation of a gateway. `{name}` parts of the path are taken from the
 * input by that name; the rest of the input is the query (GET, DELETE) or the
 * JSON body (POST). Input and output are plain JSON values: amounts are decimal
 * strings with 8 fractional digits, times RFC 3339 in UTC.
 */
export interface Operation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> extends OperationShape<Input, Output> {
  readonly method: OperationMethod;
  /** Below `/admin/v1`, such as `/keys/{key_id}/disable`. */
  readonly path: string;
  /** Set where it writes wherever it is told: only for whoever may open the control socket. */
  readonly isLocal?: true;
  /** The least rank that may run it. */
  readonly role: Rank;
  /**
   * Set where a project's member may run it too, for that project alone: gives what he asks for,
   * held to it. What is another project's it refuses as what nobody has.
   *
   * @throws {GatewayError}
   */
  heldTo?(
    project: string,
    input: z.output<Input>,
    deps: AdminDeps,
  ): z.output<Input> | Promise<z.output<Input>>;
  /** @throws {GatewayError} One of `errors`, or of {@linkcode COMMON_ERRORS}. */
  run(deps: AdminDeps, input: z.output<Input>): Promise<Shown<Output>>;
}

/** What any operation may end with: rights that are too few, input that is wrong, and surroundings that fail. */
export const COMMON_ERRORS: readonly ErrorName[] = [
  "role_not_allowed",
  "invalid_value",
  "missing_required_parameter",
  "internal_error",
  "reading_failed",
  "shutting_down",
  "storage_away",
];

/** What changes something may end with besides. */
export const CHANGE_ERRORS: readonly ErrorName[] = ["conflict", "storage_full"];

/** Declares an operation with its types inferred. */
export function defineOperation<Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
): Operation<Input, Output> {
  return operation;
}

/** An operation of this machine, and what it works with. */
export interface LocalOperation<
  Deps,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> extends OperationShape<Input, Output> {
  run(deps: Deps, input: z.output<Input>): Promise<Shown<Output>>;
}

/** Declares one with its types inferred. */
export function defineLocalOperation<Deps>() {
  return <Input extends z.ZodType, Output extends z.ZodType>(
    operation: LocalOperation<Deps, Input, Output>,
  ): LocalOperation<Deps, Input, Output> => operation;
}
