/**
 * Operations that need no gateway: they are about files and settings of this machine, and run in
 * the process of whoever asks.
 *
 * @module
 */

import type * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import type { OperationShape } from "./operation.ts";

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
