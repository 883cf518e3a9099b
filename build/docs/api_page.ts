/**
 * An OpenAPI document as a page to read.
 *
 * @module
 */

import { code, page, prose, table } from "./markdown.ts";
import { type JsonSchema, schemaRows, sentences, typeOf } from "./schema_rows.ts";

interface Content {
  readonly [type: string]: { readonly schema?: JsonSchema };
}

interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Content }>
  >;
}

/** The page of a document; paths that are there under a second prefix are told once. */
export function apiPage(
  title: string,
  { about, document }: { readonly about: string; readonly document: object },
): string {
  const { paths } = document as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
  ).filter(({ method, path }) => method !== "head" && !path.startsWith("/api/gateway/"));
  return page(title, [
    about,
    ...operations.flatMap(({ path, method, operation }) => [
      `## ${method.toUpperCase()} ${path.replaceAll(/[{}]/g, (brace) => `\\${brace}`)}`,
      [prose(operation.summary), operation.description && prose(operation.description)]
        .filter((text) => text !== undefined).map((text) => text.replace(/\.?$/, "."))
        .join(" "),
      ...takenOf(operation),
      ...answeredOf(operation),
    ]),
  ]);
}

function takenOf({ parameters = [], requestBody }: DescribedOperation): readonly string[] {
  const rows = [
    ...parameters.map((one) => [
      code(one.name),
      one.in,
      typeOf(one.schema, one.schema),
      sentences([
        prose(one.description ?? one.schema.description ?? ""),
        one.required === true && one.in !== "path" ? "Required." : "",
      ]),
    ]),
    ...fieldsOf(requestBody?.content).map(([name, type, meaning]) => [name, "body", type, meaning]),
  ];
  return rows.length === 0 ? [] : [table(["takes", "in", "type", "what it is"], rows)];
}

function answeredOf({ responses }: DescribedOperation): readonly string[] {
  const { 200: done, ...others } = responses;
  const fields = fieldsOf(done?.content, true);
  const types = Object.keys(done?.content ?? {});
  return [
    `Answers 200${types.length === 0 ? "" : ` (${types.map(code).join(", ")})`}: ${
      prose(done?.description ?? "done").replace(/\.?$/, ".")
    }`,
    ...(fields.length === 0 ? [] : [table(["answers", "type", "what it is"], fields)]),
    ...(Object.keys(others).length === 0 ? [] : [
      `Other answers: ${Object.keys(others).map(code).join(", ")}; [errors](errors.md).`,
    ]),
  ];
}

/** The fields of the first content that has any, two levels deep in names at most. */
function fieldsOf(
  content: Content | undefined,
  isAnswer = false,
): readonly (readonly [string, string, string])[] {
  for (const { schema } of Object.values(content ?? {})) {
    if (schema === undefined) continue;
    const rows = schemaRows(schema, { isAnswer }).filter(([name]) => name.split(".").length <= 3);
    if (rows.length > 0) return rows;
  }
  return [];
}
