/**
 * Lists on the command line: page after page, up to what was asked for.
 *
 * @module
 */

import { type Command, Option } from "commander";
import type * as z from "zod";
import type { Operation } from "../../admin/base/operation.ts";
import { MOST_ROWS, type Page, type pageAnswer } from "../../admin/base/page.ts";
import type { Shown } from "../../documents/shown.ts";
import type { Cli } from "../base/cli.ts";
import type { Column } from "../base/table.ts";
import { readCount } from "./field_options.ts";
import { type OperationCommand, operationCommand } from "./operation_command.ts";

/** A command that prints a list. */
export interface ListCommand<Row extends z.ZodType>
  extends Omit<OperationCommand<z.ZodType<unknown, object>, z.ZodType>, "run" | "operation"> {
  readonly operation: Operation<z.ZodType<unknown, object>, ReturnType<typeof pageAnswer<Row>>>;
  /** How many are listed when nobody says. Default: all. */
  readonly most?: number;
  /** Of what is asked for. */
  columns(input: Readonly<Record<string, unknown>>): readonly Column<Shown<Row>>[];
  /** Said instead of an empty table. */
  readonly none: string;
}

/** Makes a command that prints the rows, and where to go on if there are more. */
export function listCommand<Row extends z.ZodType>(cli: Cli, spec: ListCommand<Row>): Command {
  const { most = Infinity, none } = spec;
  const limit = new Option("--limit <n>", `at most so many (default: ${spec.most ?? "all"})`)
    .argParser(readCount);
  return operationCommand(cli, {
    ...spec,
    without: ["limit", "after"],
    extra: [
      limit,
      new Option("--after <id>", "only those behind this one in the list: go on behind a list"),
    ],
    async run({ admin, operation, input, options }) {
      const wanted = Number(options.limit ?? most);
      const rows: Shown<Row>[] = [];
      let page: Page<Shown<Row>> | undefined;
      do {
        const after = page?.last_id ?? options.after;
        page = await admin.call(operation, {
          ...input,
          limit: Math.min(MOST_ROWS, wanted - rows.length),
          ...(typeof after === "string" && { after }),
        });
        rows.push(...page.data);
      } while (page.has_more && rows.length < wanted);
      cli.printRows(rows, { json: options.json, columns: spec.columns({ ...input }), none });
      if (page.has_more) cli.say(`There are more: --after ${page.last_id}, or a larger --limit`);
    },
  });
}
