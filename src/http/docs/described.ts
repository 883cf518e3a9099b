/**
 * The operations of an OpenAPI document of ours, as whoever shows them needs them.
 *
 * @module
 */

import { type JsonSchema, schemaRows, sentences, typeOf } from "./schema_rows.ts";

interface Content {
  readonly [type: string]: { readonly schema?: JsonSchema };
}

/** A place where something is asked for. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

/** An operation as the document has it. */
export interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** Absent where it is as the whole document says; empty where nobody needs a key. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content?: Content;
        readonly headers?: Readonly<Record<string, { readonly description?: string }>>;
      }
    >
  >;
}

/** An operation at its place. */
export interface PlacedOperation extends DescribedOperation {
  readonly path: string;
  /** In capitals. */
  readonly method: string;
}

/** Each once: not under its second prefix, and no `HEAD` beside its `GET`. */
export function operationsOf(document: object): readonly PlacedOperation[] {
  const { paths } = document as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    }))
  ).filter(({ method, path }) => method !== "HEAD" && !path.startsWith("/api/gateway/"));
}

/** What is given or answered at one place, in text in which code is marked. */
export interface Field {
  readonly name: string;
  /** `path`, `query`, `header` or `body`. */
  readonly place: string;
  readonly type: string;
  readonly meaning: string;
}

/** Everything that an operation takes. */
export function takenOf({ parameters = [], requestBody }: DescribedOperation): readonly Field[] {
  return [
    ...parameters.map((one) => ({
      name: one.name,
      place: one.in,
      type: typeOf(one.schema, one.schema),
      meaning: sentences([
        one.description ?? one.schema.description ?? "",
        one.required === true && one.in !== "path" ? "Required." : "",
      ]),
    })),
    ...fieldsOf(requestBody?.content),
  ];
}

/** The fields of the usual answer. */
export function answeredOf({ responses }: DescribedOperation): readonly Field[] {
  return fieldsOf(responses["200"]?.content, true);
}

/** The media types of the usual answer. */
export function answerTypesOf({ responses }: DescribedOperation): readonly string[] {
  return Object.keys(responses["200"]?.content ?? {});
}

/** The fields of the first content that has any, two levels deep in names at most. */
function fieldsOf(content: Content | undefined, isAnswer = false): readonly Field[] {
  for (const { schema } of Object.values(content ?? {})) {
    if (schema === undefined) continue;
    const rows = schemaRows(schema, { isAnswer }).filter(([name]) => name.split(".").length <= 3);
    if (rows.length === 0) continue;
    return rows.map(([name, type, meaning]) => ({
      name: name.replaceAll("`", ""),
      place: "body",
      type,
      meaning,
    }));
  }
  return [];
}
