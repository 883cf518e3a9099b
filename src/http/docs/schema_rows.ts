/**
 * The fields of a JSON Schema as rows of a table, in text in which code is marked.
 *
 * @module
 */

import { code } from "./code_text.ts";

/** As much of JSON Schema as ours use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly [keyword: string]: unknown;
}

/** Beyond it a schema is told as what it is, not field by field. */
const DEEPEST = 6;

/** Name, type and meaning of each field, those inside of others behind these, as `a.b` and `a[].b`. */
export function schemaRows(
  schema: JsonSchema,
  { root = schema, isAnswer = false }: {
    readonly root?: JsonSchema;
    /** Of an answer: nobody has to give what is in it. */
    readonly isAnswer?: boolean;
  } = {},
): readonly (readonly [name: string, type: string, meaning: string])[] {
  const rows: (readonly [string, string, string])[] = [];
  const seen = new Set<string>();
  function add(parent: JsonSchema, path: string, depth: number): void {
    for (const shape of shapesOf(parent, root)) {
      for (const [name, field] of Object.entries(shape.properties ?? {})) {
        const at = path === "" ? name : `${path}.${name}`;
        const inner = resolve(field, root);
        if (!seen.has(at)) {
          seen.add(at);
          rows.push([
            code(at),
            typeOf(inner, root),
            meaningOf(inner, !isAnswer && shape.required?.includes(name) === true),
          ]);
        }
        if (depth < DEEPEST) follow(inner, at, depth + 1);
      }
    }
  }
  function follow(schema: JsonSchema, at: string, depth: number): void {
    for (const shape of shapesOf(schema, root)) {
      if (shape.items !== undefined) follow(resolve(shape.items, root), `${at}[]`, depth);
      if (typeof shape.additionalProperties === "object") {
        follow(resolve(shape.additionalProperties, root), `${at}.*`, depth);
      }
    }
    add(schema, at, depth);
  }
  follow(resolve(schema, root), "", 0);
  return rows.map(([name, ...rest]) => [name.replace("`[].", "`"), ...rest]);
}

/** What a value may be, in a word or two. */
export function typeOf(schema: JsonSchema, root: JsonSchema): string {
  const shape = resolve(schema, root);
  if (shape.const !== undefined) return code(JSON.stringify(shape.const));
  if (shape.enum !== undefined) return shape.enum.map((one) => code(String(one))).join(", ");
  const shapes = shape.anyOf ?? shape.oneOf;
  if (shapes !== undefined) {
    return [...new Set(shapes.map((one) => typeOf(one, root)))].join(" or ");
  }
  if (shape.type === "array") return `list of ${typeOf(shape.items ?? {}, root)}`;
  if (shape.type === undefined) return "anything";
  return typeof shape.type === "string" ? shape.type : shape.type.join(" or ");
}

function meaningOf(schema: JsonSchema, isNeeded: boolean): string {
  const said = schema.description ?? "";
  // Where the text says it in words, the value says nothing more.
  const standard = schema.default === undefined || /default/i.test(said)
    ? ""
    : `Default: ${code(JSON.stringify(schema.default))}.`;
  return sentences([said, standard, isNeeded ? "Required." : ""]);
}

/** Texts behind each other, each with its end. */
export function sentences(texts: readonly string[]): string {
  const said = texts.filter((text) => text !== "");
  return said.map((text, at) => at < said.length - 1 ? text.replace(/[.:]?$/, ".") : text)
    .join(" ");
}

function shapesOf(schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] {
  const shape = resolve(schema, root);
  const inner = [...shape.anyOf ?? [], ...shape.oneOf ?? [], ...shape.allOf ?? []];
  return [shape, ...inner.flatMap((one) => shapesOf(one, root))];
}

function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const name = schema.$ref?.replace(/^#\/\$defs\//, "");
  if (name === undefined || schema.$ref === "#") return schema;
  return { ...root.$defs?.[name], ...schema, $ref: undefined } as JsonSchema;
}
