/**
 * Commands made from operations: what they take comes from the input's schema, what they print
 * is said beside them.
 *
 * @module
 */

import type { Command, Option } from "commander";
import type * as z from "zod";
import type { Operation } from "../../admin/operation.ts";
import type { Shown } from "../../documents/shown.ts";
import type { AdminChannel } from "../admin_channel.ts";
import type { Cli, CommandText, CommonOptions } from "../cli.ts";
import { CommandFailure, EXIT_USAGE } from "../failure.ts";
import { addYesOption, type NamedKeyOptions, nameKey, nameKeyToRead } from "../name_key.ts";
import { addFieldOptions, type GivenOptions, inputOf } from "./field_options.ts";
import { fieldsOf, type SchemaField } from "./schema_fields.ts";

/** An operation's command. */
export interface OperationCommand<Input extends z.ZodType, Output extends z.ZodType>
  extends CommandText {
  readonly operation: Operation<Input, Output>;
  /** Default: the operation's verb. */
  readonly name?: string;
  /** Fields that stand in place, in their order, as they are shown: `{ project: "<id>" }`. */
  readonly args?: Readonly<Record<string, string>>;
  /** Fields that are no options. */
  readonly without?: readonly string[];
  /** Fields besides those of the input's schema. */
  readonly fields?: readonly SchemaField[];
  /** Options of the command line alone, before the operation's own. */
  readonly extra?: readonly Option[];
  /** Whether a data dir may be made. */
  readonly mayCreate?: true;
  /** Runs the operation with what was given, and prints what it answers. */
  run(work: CommandWork<Input, Output>): Promise<void>;
}

/** A command line that is carried out. */
export interface CommandWork<Input extends z.ZodType, Output extends z.ZodType> {
  readonly cli: Cli;
  readonly admin: AdminChannel;
  readonly operation: Operation<Input, Output>;
  readonly input: object;
  readonly options: CommonOptions & GivenOptions;
}

/** Makes the command. */
export function operationCommand<Input extends z.ZodType, Output extends z.ZodType>(
  cli: Cli,
  spec: OperationCommand<Input, Output>,
): Command {
  const { operation, args = {}, without = [] } = spec;
  const fields = fieldsOf(operation.input);
  const inPlace = Object.keys(args).map((name) => fields.find(({ path }) => path[0] === name)!);
  const optional = [
    ...fields.filter((field) => !inPlace.includes(field) && !without.includes(field.path[0]!)),
    ...spec.fields ?? [],
  ];
  const command = cli.adminCommand(spec.name ?? verbOf(operation), spec);
  for (const field of inPlace) command.argument(args[field.path[0]!]!, wordsFor(field));
  const changesKey = "key_id" in args && operation.effects === "changes";
  if (changesKey) addYesOption(command);
  for (const option of spec.extra ?? []) command.addOption(option);
  addFieldOptions(command, optional);
  return command.action((...given: readonly unknown[]) => {
    const options: CommonOptions & NamedKeyOptions & GivenOptions = command.opts();
    const input = inputOf(optional, options);
    const isGiven = Object.keys(input).length > 0 ||
      spec.extra?.some((option) => options[option.attributeName()] !== undefined);
    if (verbOf(operation) === "set" && !isGiven) {
      throw nothingToChange(command);
    }
    const placed = Object.fromEntries(
      inPlace.flatMap(({ path }, index) =>
        given[index] === undefined ? [] : [[path[0], given[index]]]
      ),
    );
    return cli.administer(options, async (admin) => {
      if (typeof placed.key_id === "string") {
        placed.key_id = changesKey
          ? await nameKey(cli, admin, { name: placed.key_id, yes: options.yes })
          : await nameKeyToRead(admin, placed.key_id);
      }
      await spec.run({ cli, admin, operation, options, input: { ...placed, ...input } });
    }, { mayCreate: spec.mayCreate === true });
  });
}

/** A command that prints one thing, fact by fact. */
export interface FactsCommand<Input extends z.ZodType, Output extends z.ZodType>
  extends Omit<OperationCommand<Input, Output>, "run"> {
  facts(answer: Shown<Output>): readonly (readonly [name: string, value: string])[];
  /** What is said besides, whatever is printed. */
  notes?(answer: Shown<Output>): readonly string[];
  /** What is said besides, but not of JSON, which has it all. */
  say?(answer: Shown<Output>, input: object): readonly string[];
}

/** Makes a command that prints one thing; warnings go to stderr. */
export function factsCommand<Input extends z.ZodType, Output extends z.ZodType>(
  cli: Cli,
  spec: FactsCommand<Input, Output>,
): Command {
  return operationCommand(cli, {
    ...spec,
    async run({ admin, operation, input, options: { json } }) {
      const answer = await admin.call(operation, input);
      const { warnings, ...shown } = { warnings: [], ...answer as object };
      cli.warn(warnings);
      cli.printFacts(shown, { json, facts: spec.facts(answer) });
      const said = json === true ? [] : spec.say?.(answer, input) ?? [];
      for (const line of [...spec.notes?.(answer) ?? [], ...said]) cli.say(line);
    },
  });
}

function wordsFor({ path: [name], description }: SchemaField): string {
  return name === "key_id" ? "id of the key, or how its id or the key itself begins" : description;
}

function verbOf({ name }: Operation): string {
  return name.slice(name.indexOf(".") + 1).replaceAll("_", "-");
}

function nothingToChange(command: Command): CommandFailure {
  return new CommandFailure(
    `Nothing to change: name a setting, see \`tollgate ${command.parent!.name()} set --help\``,
    { exitCode: EXIT_USAGE },
  );
}
