/**
 * Fields of an operation as options of its command, and the options as the operation's input.
 *
 * @module
 */

import { type Command, InvalidArgumentError, Option } from "commander";
import { parseByteSize } from "../../documents/byte_size.ts";
import type { FieldKind, SchemaField } from "./schema_fields.ts";

/** What was given on a command line, by the options' names in code. */
export type GivenOptions = Readonly<Record<string, unknown>>;

/** Stands for `null`, which the parser of options takes for no value. */
const TAKEN_AWAY = Symbol("none");

/** Adds an option for each field. */
export function addFieldOptions(command: Command, fields: readonly SchemaField[]): void {
  for (const field of fields) {
    for (const option of optionsFor(field)) command.addOption(option);
  }
}

/** The input that the options say, objects put together again; `undefined` values are left out. */
export function inputOf(fields: readonly SchemaField[], given: GivenOptions): object {
  const input: Record<string, unknown> = {};
  for (const field of fields) {
    const value = given[attributeOf(field)];
    if (value === undefined) continue;
    let at = input;
    for (const key of field.path.slice(0, -1)) {
      at = (at[key] ??= {}) as Record<string, unknown>;
    }
    at[field.path.at(-1)!] = value === TAKEN_AWAY
      ? null
      : field.words.isOff === true
      ? value !== true
      : value;
  }
  return input;
}

function attributeOf({ name }: SchemaField): string {
  return new Option(`--${name}`).attributeName();
}

function optionsFor(field: SchemaField): readonly Option[] {
  const { name, kind, description, isRequired, isRemovable, words } = field;
  if (kind.type === "mark") return [new Option(`--${name}`, description)];
  if (kind.type === "switch") {
    const option = new Option(`--${name}`, description);
    return words.no === undefined ? [option] : [option, new Option(`--no-${name}`, words.no)];
  }
  const none = isRemovable ? words.none ?? "none" : undefined;
  const away = words.orNone ?? none;
  // Behind whole sentences, which often end with a default, `or none` would belong to that.
  const told = away === undefined
    ? description
    : description.endsWith(".")
    ? `${description} ${away === none ? `${none}: takes it away` : away}.`
    : `${description}, or ${away}`;
  const option = new Option(
    `--${name} <${words.placeholder ?? placeholderOf(field)}>`,
    told + (isRequired ? " (required)" : ""),
  ).makeOptionMandatory(isRequired);
  if (kind.type === "choice") {
    option.choices(none === undefined ? kind.choices : [...kind.choices, none]);
    if (none === undefined) return [option];
  }
  const { parseArg } = option;
  return [option.argParser((text: string, previous: unknown) => {
    if (text === none) return TAKEN_AWAY;
    if (kind.type === "choice") return parseArg?.(text, previous);
    const value = readValue(text, kind);
    const isMore = previous !== undefined && (words.repeats === true || kind.type === "texts");
    return isMore ? [previous, value].flat() : value;
  })];
}

function placeholderOf({ name, kind }: SchemaField): string {
  switch (kind.type) {
    case "count":
    case "number":
      return "n";
    case "choice":
      return name.split("-").at(-1)!;
    case "list":
      return "list";
    default:
      return "id";
  }
}

function readValue(text: string, kind: FieldKind): unknown {
  switch (kind.type) {
    case "count":
      return readCount(text);
    case "number":
      return readNumber(text);
    case "size":
      return readSize(text);
    case "list":
      return readList(text, kind.choices);
    default:
      return text;
  }
}

/** A whole number of 1 or more. */
export function readCount(text: string): number {
  const count = /^\d{1,13}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new InvalidArgumentError("Expected a whole number of 1 or more.");
  return count;
}

function readNumber(text: string): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(number)) throw new InvalidArgumentError("Expected a number such as 1 or 0.5.");
  return number;
}

function readSize(text: string): number {
  const bytes = parseByteSize(text);
  if (bytes === undefined) {
    throw new InvalidArgumentError("Expected a number of bytes such as 10485760, 10MB or 1.5GiB.");
  }
  return bytes;
}

/** Separated by commas. */
function readList(text: string, choices: readonly string[] | undefined): readonly string[] {
  const parts = text.split(",").map((part) => part.trim()).filter((part) => part !== "");
  const isAllowed = choices === undefined ||
    (parts.length > 0 && parts.every((part) => choices.includes(part)));
  if (isAllowed) return parts;
  throw new InvalidArgumentError(`Allowed choices are ${choices.join(", ")}.`);
}
