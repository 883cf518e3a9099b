/**
 * A command with the arguments and options that an operation's input has.
 *
 * @module
 */

import { resolve } from "node:path";
import { Argument, type Command, type Option } from "commander";
import type { OperationShape } from "../../admin/base/operation.ts";
import { isS3 } from "../../domain/s3_address.ts";
import type { Cli, CommandText, CommonOptions } from "../base/cli.ts";
import { CommandFailure, EXIT_USAGE } from "../base/failure.ts";
import { addFieldOptions, type GivenOptions, inputOf } from "./field_options.ts";
import { fieldsOf, type SchemaField } from "./schema_fields.ts";

/** What is said of such a command. */
export interface SchemaCommand extends Omit<CommandText, "summary"> {
  /** Default: the operation's. */
  readonly summary?: string;
  readonly operation: OperationShape & { readonly path?: string };
  /** Default: the operation's verb. */
  readonly name?: string;
  /**
   * Fields that stand in place, in their order, as they are shown: `{ project: "<id>" }`.
   * Default: those of the operation's path.
   */
  readonly args?: Readonly<Record<string, string>>;
  /** Fields that are no options. */
  readonly without?: readonly string[];
  /** Fields besides those of the input's schema. */
  readonly fields?: readonly SchemaField[];
  /** Fields that are paths: those that do not begin at the root begin where the user is. */
  readonly paths?: readonly string[];
  /** Options of the command line alone, before the operation's own. */
  readonly extra?: readonly Option[];
  /** Set where it works on no data dir. */
  readonly isBare?: true;
}

/** What was given. */
export interface GivenInput {
  readonly input: object;
  readonly options: CommonOptions & GivenOptions;
}

export function schemaCommand(
  cli: Cli,
  spec: SchemaCommand,
  work: (given: GivenInput) => Promise<void>,
): Command {
  const { operation, args = argsOf(operation.path), without = [], extra = [] } = spec;
  const fields = fieldsOf(operation.input);
  const inPlace = Object.keys(args).map((name) => fields.find(({ path }) => path[0] === name)!);
  const optional = [
    ...fields.filter((field) => !inPlace.includes(field) && !without.includes(field.path[0]!)),
    ...spec.fields ?? [],
  ];
  const name = spec.name ?? verbOf(operation);
  const text = { summary: operation.summary.replace(/\.$/, ""), ...spec };
  const command = spec.isBare === true ? cli.command(name, text) : cli.adminCommand(name, text);
  for (const field of inPlace) {
    command.addArgument(argumentFor(field, args[field.path[0]!]!));
  }
  for (const option of extra) command.addOption(option);
  addFieldOptions(command, optional);
  return command.action((...given: readonly unknown[]) => {
    const options: CommonOptions & GivenOptions = command.opts();
    const named = inputOf(optional, options);
    const isGiven = Object.keys(named).length > 0 ||
      extra.some((option) => options[option.attributeName()] !== undefined);
    if (name === "set" && !isGiven) throw nothingToChange(command);
    const input: Record<string, unknown> = { ...named };
    for (const [index, { path: [field] }] of inPlace.entries()) {
      if (given[index] !== undefined) input[field!] = given[index];
    }
    for (const field of spec.paths ?? []) {
      const path = input[field];
      if (typeof path !== "string" || isS3(path)) continue;
      input[field] = resolve(cli.terminal.around.cwd, path);
    }
    return work({ input, options });
  });
}

/** `/videos/{video_id}` asks for `<video-id>`, `/projects/{project}` for its `<id>`. */
function argsOf(path = ""): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [
      name,
      name!.endsWith("_id") ? `<${name!.replaceAll("_", "-")}>` : "<id>",
    ]),
  );
}

function argumentFor(field: SchemaField, shown: string): Argument {
  const isKey = field.path[0] === "key_id";
  const argument = new Argument(
    shown,
    isKey
      ? "id of the key, or how its id or the key itself begins"
      : field.words.argument ?? field.description,
  );
  if (field.kind.type !== "choice") return argument;
  return argument.choices(field.kind.choices).default(field.fallback);
}

function verbOf({ name }: OperationShape): string {
  return name.slice(name.indexOf(".") + 1).replaceAll("_", "-");
}

function nothingToChange(command: Command): CommandFailure {
  return new CommandFailure(
    `Nothing to change: name a setting, see \`tollgate ${command.parent!.name()} set --help\``,
    { exitCode: EXIT_USAGE },
  );
}
