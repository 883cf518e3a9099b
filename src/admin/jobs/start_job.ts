/**
 * Starts an operation as a job.
 *
 * @module
 */

import type * as z from "zod";
import type { ChangeOrigin } from "../base/deps.ts";
import type { Operation } from "../base/operation.ts";
import {
  checkInput,
  type OperationRun,
  requireRights,
  runOperation,
} from "../base/run_operation.ts";
import type { Job } from "../base/job.ts";

/** Whether an operation may go on while nobody waits for it: what is long and does something. */
export function canBeJob({ isLong, method }: Pick<Operation, "isLong" | "method">): boolean {
  return isLong === true && method === "POST";
}

/**
 * Checks who asks and what, and begins.
 *
 * @throws {GatewayError} As the operation's rights and its schema have it; `conflict` when another
 * of the kind is under way.
 */
export async function startJob<Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
  { deps, input, origin = deps.origin }: OperationRun & { readonly origin?: ChangeOrigin },
): Promise<Job> {
  requireRights(operation, origin.rights);
  const asked = checkInput(operation, input);
  return await deps.jobs.start({
    operation: operation.name,
    role: operation.role,
    input: asked,
    startedBy: origin.actor,
    run: (watcher) => runOperation(operation, { deps: { ...deps, watcher }, input, origin }),
  });
}
