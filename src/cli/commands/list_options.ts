/**
 * Lists on the command line: page after page, up to what was asked for.
 *
 * @module
 */

import type { Command } from "commander";
import type * as z from "zod";
import type { Operation } from "../../admin/operation.ts";
import { MOST_ROWS, type Page, type pageAnswer } from "../../admin/page.ts";
import type { AdminChannel } from "../admin_channel.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import type { Shown } from "../../documents/shown.ts";
import type { Column } from "../table.ts";
import { parseCount } from "./limit_options.ts";

/** What the options give. */
export interface ListOptions extends CommonOptions {
  readonly limit?: number;
  readonly after?: string;
}

/** Adds the options to a command that lists all, or so many by default. */
export function addListOptions(command: Command, most: number | "all" = "all"): Command {
  return command
    .option("--limit <n>", `at most so many (default: ${most})`, parseCount)
    .option("--after <id>", "only those behind this one in the list: go on behind a list");
}

/** Which list is printed, and how. */
export interface PrintedList<Row extends z.ZodType> {
  readonly operation: Operation<z.ZodType, ReturnType<typeof pageAnswer<Row>>>;
  /** What is asked for besides the page. */
  readonly input: object;
  readonly most?: number;
  readonly columns: readonly Column<Shown<Row>>[];
  /** Said instead of an empty table. */
  readonly none: string;
}

/** Prints the rows, and where to go on if there are more. */
export async function printList<Row extends z.ZodType>(
  cli: Cli,
  admin: AdminChannel,
  options: ListOptions,
  { operation, input, most = Infinity, columns, none }: PrintedList<Row>,
): Promise<void> {
  const wanted = options.limit ?? most;
  const rows: Shown<Row>[] = [];
  let page: Page<Shown<Row>> | undefined;
  do {
    const after: string | null | undefined = page?.last_id ?? options.after;
    page = await admin.call(operation, {
      ...input,
      limit: Math.min(MOST_ROWS, wanted - rows.length),
      ...(typeof after === "string" && { after }),
    });
    rows.push(...page.data);
  } while (page.has_more && rows.length < wanted);
  cli.printRows(rows, { json: options.json, columns, none });
  if (page.has_more) cli.say(`There are more: --after ${page.last_id}, or a larger --limit`);
}
