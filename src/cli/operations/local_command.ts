/**
 * Commands made from operations that need no gateway.
 *
 * @module
 */

import type { Command } from "commander";
import type * as z from "zod";
import type { LocalOperation } from "../../admin/base/local_operation.ts";
import { runLocalOperation } from "../../admin/base/run_operation.ts";
import type { Shown } from "../../documents/shown.ts";
import type { Cli } from "../base/cli.ts";
import { type GivenInput, type SchemaCommand, schemaCommand } from "./schema_command.ts";

/** A local operation's command. */
export interface LocalCommand<Deps, Input extends z.ZodType, Output extends z.ZodType>
  extends SchemaCommand {
  readonly operation: LocalOperation<Deps, Input, Output>;
  /** What the operation works with. */
  deps(options: GivenInput["options"]): Deps | Promise<Deps>;
  print(answer: Shown<Output>, json: boolean | undefined): void;
}

/** Makes the command. */
export function localCommand<Deps, Input extends z.ZodType, Output extends z.ZodType>(
  cli: Cli,
  spec: LocalCommand<Deps, Input, Output>,
): Command {
  return schemaCommand(cli, spec, async ({ input, options }) => {
    const deps = await spec.deps(options);
    spec.print(await runLocalOperation(spec.operation, { deps, input }), options.json);
  });
}
