/**
 * Commands made from operations: of a gateway, and of this machine.
 *
 * @module
 */

import { type Command, Option } from "commander";
import type * as z from "zod";
import type { LocalOperation, Operation } from "../../admin/base/operation.ts";
import type { Shown } from "../../documents/shown.ts";
import type { AdminChannel } from "../base/admin_channel.ts";
import type { Cli } from "../base/cli.ts";
import { nameKey, nameKeyToRead } from "../base/name_key.ts";
import { type GivenInput, type SchemaCommand, schemaCommand } from "./schema_command.ts";
import type { Column, Facts } from "../base/table.ts";
import { runLocalOperation } from "../../admin/base/run_operation.ts";
import { MOST_ROWS, type Page, type pageAnswer } from "../../admin/base/page.ts";
import { readCount } from "./field_options.ts";

/** An operation's command. */
export interface OperationCommand<Input extends z.ZodType, Output extends z.ZodType>
  extends SchemaCommand {
  readonly operation: Operation<Input, Output>;
  /** Whether a data dir may be made. */
  readonly mayCreate?: true;
  /** Runs the operation with what was given, and prints what it answers. */
  run(work: CommandWork<Input, Output>): Promise<void>;
}

/** A command line that is carried out. */
export interface CommandWork<Input extends z.ZodType, Output extends z.ZodType>
  extends Pick<GivenInput, "options"> {
  /** As it was given: the operation's schema checks it. */
  readonly input: z.input<Input>;
  readonly admin: AdminChannel;
  readonly operation: Operation<Input, Output>;
}

export function operationCommand<Input extends z.ZodType, Output extends z.ZodType>(
  cli: Cli,
  spec: OperationCommand<Input, Output>,
): Command {
  const { operation, extra = [], mayCreate = false } = spec;
  const changesKey = operation.changes !== undefined && operation.path.includes("{key_id}");
  const yes = new Option("--yes", "change the only key that begins so, without asking");
  const given = changesKey ? { ...spec, extra: [...extra, yes] } : spec;
  return schemaCommand(
    cli,
    given,
    ({ input, options }) =>
      cli.administer(options, async (admin) => {
        const named = { ...input };
        if ("key_id" in named) {
          const name = String(named.key_id);
          named.key_id = changesKey
            ? await nameKey(cli, admin, { name, yes: options.yes === true })
            : await nameKeyToRead(admin, name);
        }
        await spec.run({ admin, operation, options, input: named as z.input<Input> });
      }, { mayCreate }),
  );
}

/** How one thing is printed, fact by fact. */
export interface PrintedFacts<Output extends z.ZodType> {
  facts(answer: Shown<Output>): Facts;
  /** What is said besides, whatever is printed. */
  notes?(answer: Shown<Output>): readonly string[];
  /** What is said besides, but not of JSON, which has it all. */
  say?(answer: Shown<Output>): readonly string[];
}

/** Makes a command that prints one thing; warnings go to stderr. */
export function factsCommand<Input extends z.ZodType, Output extends z.ZodType>(
  cli: Cli,
  spec: Omit<OperationCommand<Input, Output>, "run"> & PrintedFacts<Output>,
): Command {
  return operationCommand(cli, {
    ...spec,
    async run({ admin, operation, input, options: { json } }) {
      const answer = await admin.call(operation, input);
      const { warnings, ...shown } = { warnings: [], ...answer as object };
      cli.warn(warnings);
      cli.printFacts(shown, { json, facts: spec.facts(answer) });
      const said = json === true ? [] : spec.say?.(answer) ?? [];
      for (const line of [...spec.notes?.(answer) ?? [], ...said]) cli.say(line);
    },
  });
}

/** A local operation's command. */
export interface LocalCommand<Deps, Input extends z.ZodType, Output extends z.ZodType>
  extends SchemaCommand {
  readonly operation: LocalOperation<Deps, Input, Output>;
  /** What the operation works with. */
  deps(options: GivenInput["options"]): Deps | Promise<Deps>;
  print(answer: Shown<Output>, json: boolean | undefined): void;
}

export function localCommand<Deps, Input extends z.ZodType, Output extends z.ZodType>(
  cli: Cli,
  spec: LocalCommand<Deps, Input, Output>,
): Command {
  return schemaCommand(cli, spec, async ({ input, options }) => {
    const deps = await spec.deps(options);
    spec.print(await runLocalOperation(spec.operation, { deps, input }), options.json);
  });
}

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
      } while (page.has_more && page.cut === undefined && rows.length < wanted);
      cli.printRows(rows, { json: options.json, columns: spec.columns({ ...input }), none });
      if (page.cut !== undefined) cli.say(`${page.cut.advice}: --after ${page.last_id}`);
      else if (page.has_more) {
        cli.say(`There are more: --after ${page.last_id}, or a larger --limit`);
      }
    },
  });
}
