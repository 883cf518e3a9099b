/**
 * What an operation takes, as the command line asks for it: one field for each value of its
 * input's schema, objects inside it taken apart.
 *
 * @module
 */

import type * as z from "zod";
import { type OptionWords, optionWords } from "../../admin/base/option_words.ts";

/** What a field holds. */
export type FieldKind =
  | { readonly type: "text" | "count" | "number" | "size" | "switch" }
  /** True, or not given. */
  | { readonly type: "mark" }
  /** One, or several given one by one. */
  | { readonly type: "texts" }
  | { readonly type: "choice"; readonly choices: readonly string[] }
  | { readonly type: "list"; readonly choices: readonly string[] | undefined };

/** A value that may be given. */
export interface SchemaField {
  /** Where it is in the input. */
  readonly path: readonly string[];
  /** Its name on the command line, such as `daily-budget`. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly description: string;
  readonly isRequired: boolean;
  /** Whether `null` takes it away. */
  readonly isRemovable: boolean;
  /** What it is when nothing is given. */
  readonly fallback: unknown;
  readonly words: OptionWords;
}

/** The fields of an input, in its order; what a command line has no words for is left out. */
export function fieldsOf(input: z.ZodType, path: readonly string[] = []): readonly SchemaField[] {
  const { shape } = unwrap(input);
  return Object.entries(shape ?? {}).flatMap(([key, schema]) => fieldsAt(schema, [...path, key]));
}

function fieldsAt(schema: z.ZodType, path: readonly string[]): readonly SchemaField[] {
  const { inner, shape, description = "", words, ...said } = unwrap(schema);
  if (shape !== undefined) return fieldsOf(inner, path);
  const kind = kindOf(inner);
  if (kind === undefined) return [];
  const name = words.option ?? nameOf(path);
  return [{ path, name, kind, description, words, ...said }];
}

/** What lies one deep needs no first name: no two of them are called the same. */
function nameOf(path: readonly string[]): string {
  return (path.length === 1 ? path : path.slice(1)).join("-").replaceAll("_", "-");
}

interface Unwrapped {
  readonly inner: z.ZodType;
  readonly shape: Readonly<Record<string, z.ZodType>> | undefined;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly isRemovable: boolean;
  readonly fallback: unknown;
  readonly words: OptionWords;
}

/** What a schema says under everything that says when it may be absent. */
function unwrap(schema: z.ZodType): Unwrapped {
  const def = defOf(schema);
  const inside = def.innerType ?? (def.type === "pipe" ? sideOf(def) : undefined);
  const own = optionWords.get(schema) ?? {};
  if (inside === undefined) {
    return {
      inner: schema,
      shape: def.type === "object" ? def.shape : undefined,
      description: schema.description,
      isRequired: true,
      isRemovable: false,
      fallback: undefined,
      words: own,
    };
  }
  const found = unwrap(inside);
  return {
    ...found,
    description: schema.description ?? found.description,
    isRequired: found.isRequired && !["optional", "default", "prefault"].includes(def.type),
    fallback: def.defaultValue ?? found.fallback,
    isRemovable: found.isRemovable || def.type === "nullable",
    words: { ...found.words, ...own },
  };
}

interface Def {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly defaultValue?: unknown;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
  readonly element?: z.ZodType;
  readonly entries?: Readonly<Record<string, string>>;
  readonly options?: readonly z.ZodType[];
  readonly check?: string;
  readonly format?: string;
}

/** Of the many kinds of definitions what is asked for here. */
function defOf(schema: z.ZodType): Def {
  return schema._zod.def as Def;
}

/** What is written before it is changed, or behind what prepares it. */
function sideOf({ in: before, out: after }: Def): z.ZodType | undefined {
  return before !== undefined && defOf(before).type === "transform" ? after : before;
}

function kindOf(schema: z.ZodType): FieldKind | undefined {
  const def = defOf(schema);
  switch (def.type) {
    case "string":
      return { type: "text" };
    case "number":
      return { type: def.format === undefined ? "number" : "count" };
    case "boolean":
      return { type: "switch" };
    case "literal":
      return { type: "mark" };
    case "enum":
      return { type: "choice", choices: Object.values(def.entries ?? {}) };
    case "array": {
      const entry = kindOf(unwrap(def.element!).inner);
      if (entry?.type === "choice") return { type: "list", choices: entry.choices };
      return entry?.type === "text" ? { type: "list", choices: undefined } : undefined;
    }
    case "union": {
      const kinds = def.options!.map((option) => kindOf(unwrap(option).inner)?.type);
      // A size is a number of bytes, or a text with a unit.
      if (kinds.includes("number") && kinds.includes("text")) return { type: "size" };
      if (kinds.includes("list") && kinds.includes("text")) {
        return { type: "texts" };
      }
      return kinds.includes("text") ? { type: "text" } : undefined;
    }
    default:
      return undefined;
  }
}
