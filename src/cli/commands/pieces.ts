/**
 * `tollgate providers|models|routes show|set|delete`
 *
 * @module
 */

import { type Command, Option } from "commander";
import type * as z from "zod";
import type { Operation } from "../../admin/base/operation.ts";
import type { pieceAnswer } from "../../admin/catalogue/change_piece.ts";
import { parseYamlDocument } from "../../documents/yaml_document.ts";
import { formatProblem } from "../../documents/problem.ts";
import { isObject } from "../../domain/json_value.ts";
import type { Cli } from "../base/cli.ts";
import { CommandFailure, EXIT_USAGE } from "../base/failure.ts";
import { factsCommand, operationCommand } from "../operations/operation_command.ts";
import { fieldsOf, type SchemaField } from "../operations/schema_fields.ts";
import { printChanges, readText } from "./apply.ts";
import type { Facts } from "../base/table.ts";

/** A kind of pieces of the catalogue. */
export interface PieceCommands {
  /** Such as `provider`. */
  readonly kind: string;
  /** One of it in a catalogue file. */
  readonly schema: z.ZodType;
  readonly show: Operation<z.ZodType, z.ZodType<{ readonly settings: object }>>;
  readonly set: Operation<
    z.ZodType<unknown, { settings?: object | undefined }>,
    typeof pieceAnswer
  >;
  readonly delete: Operation<z.ZodType, typeof pieceAnswer>;
  /** An id for examples. */
  readonly example: string;
  /** Such as `--base-url https://api.openai.com/v1`. */
  readonly exampleSettings: string;
}

export function pieceCommands(cli: Cli, pieces: PieceCommands): readonly Command[] {
  const { kind, example } = pieces;
  return [
    factsCommand(cli, {
      operation: pieces.show,
      description: `Show a ${kind}: how it is, its settings as a catalogue file has them, and ` +
        "their version.",
      example: `${kind}s show ${example}`,
      facts: ({ settings, ...row }) => [
        ...leavesOf(row),
        ...leavesOf(settings).map(([name, value]) => [`settings.${name}`, value] as const),
      ],
    }),
    operationCommand(cli, {
      operation: pieces.set,
      description: `Add a ${kind}, or change the settings that are named; the others stay. It is ` +
        "checked with the whole catalogue, as a file is that is applied. Settings without an " +
        "option are given with --from.",
      example: `${kind}s set ${example} ${pieces.exampleSettings}`,
      mayCreate: true,
      extra: [
        new Option("--from <file>", `the ${kind} as a catalogue file has it, YAML; - reads stdin`),
      ],
      fields: settingsOf(pieces.schema),
      async run({ admin, operation, input, options: { json, from } }) {
        const given = typeof from === "string" ? await readSettings(from, input) : {};
        const answer = await admin.call(operation, { ...input, ...given });
        printChanges(cli, answer, { json, none: `the ${kind} is so already` });
      },
    }),
    operationCommand(cli, {
      operation: pieces.delete,
      example: `${kind}s delete ${example}`,
      async run({ admin, operation, input, options: { json } }) {
        printChanges(cli, await admin.call(operation, input), { json, none: "it is gone" });
      },
    }),
  ];
}

/** Settings of which `none` is a value. */
const SAY_NONE: ReadonlySet<string> = new Set(["auth", "supports-thinking"]);
/** Takes those away. */
const UNSAID = "default";

/** Each setting for an option; all may be left out, and what has a default be taken away. */
function settingsOf(schema: z.ZodType): readonly SchemaField[] {
  return fieldsOf(schema, ["settings"]).filter(({ path }) => path[1] !== "id").map((field) => ({
    ...field,
    isRemovable: !field.isRequired,
    isRequired: false,
    words: {
      ...(/^texts?$/.test(field.kind.type) && { placeholder: "value" }),
      ...(SAY_NONE.has(field.name) &&
        { none: UNSAID, orNone: `${UNSAID}: as if nothing were said of it` }),
      ...field.words,
      ...(field.kind.type === "switch" && { no: `The contrary of --${field.name}.` }),
    },
  }));
}

/** The file's settings, over which options go. */
async function readSettings(file: string, input: { readonly settings?: object }): Promise<object> {
  const parsed = parseYamlDocument(await readText(file, file), { file });
  if (!parsed.ok) {
    throw new CommandFailure(parsed.problems.map(formatProblem).join("\n"), {
      exitCode: EXIT_USAGE,
    });
  }
  const { value } = parsed.document;
  if (!isObject(value)) {
    throw new CommandFailure(`${file} is no mapping: write the settings as a catalogue file does`, {
      exitCode: EXIT_USAGE,
    });
  }
  return { settings: joined(value, input.settings ?? {}) };
}

/** Options go over what stands in the file, mapping by mapping. */
function joined(file: object, options: object): object {
  const values = new Map<string, unknown>(Object.entries(file));
  for (const [name, value] of Object.entries(options)) {
    const written = values.get(name);
    values.set(name, isObject(written) && isObject(value) ? joined(written, value) : value);
  }
  return Object.fromEntries(values);
}

/** What is there, by its path. */
function leavesOf(value: object, path = ""): Facts {
  return Object.entries(value).flatMap(([name, one]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const isMapping = typeof one === "object" && one !== null && !Array.isArray(one);
    if (isMapping) return leavesOf(one, at);
    return [[at, typeof one === "string" ? one : JSON.stringify(one)] as const];
  });
}
