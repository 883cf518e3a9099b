/**
 * An OpenAPI document as a page to read.
 *
 * @module
 */

import {
  answeredOf,
  answerTypesOf,
  type Field,
  operationsOf,
  type PlacedOperation,
  takenOf,
} from "../../src/http/docs/described.ts";
import { code, page, prose, table } from "./markdown.ts";

/** The page of a document; paths that are there under a second prefix are told once. */
export function apiPage(
  title: string,
  { about, document }: { readonly about: string; readonly document: object },
): string {
  return page(title, [
    about,
    ...operationsOf(document).flatMap((operation) => [
      `## ${operation.method} ${operation.path.replaceAll(/[{}]/g, (brace) => `\\${brace}`)}`,
      [prose(operation.summary), operation.description && prose(operation.description)]
        .filter((text) => text !== undefined).map((text) => text.replace(/\.?$/, "."))
        .join(" "),
      ...takenRows(operation),
      ...answeredRows(operation),
    ]),
  ]);
}

function takenRows(operation: PlacedOperation): readonly string[] {
  const rows = takenOf(operation).map(({ place, ...field }) => {
    const [name, ...rest] = cells(field);
    return [name!, place, ...rest];
  });
  return rows.length === 0 ? [] : [table(["takes", "in", "type", "what it is"], rows)];
}

function answeredRows(operation: PlacedOperation): readonly string[] {
  const { 200: done, ...others } = operation.responses;
  const types = answerTypesOf(operation);
  const fields = answeredOf(operation);
  return [
    `Answers 200${types.length === 0 ? "" : ` (${types.map(code).join(", ")})`}: ${
      prose(done?.description ?? "done").replace(/\.?$/, ".")
    }`,
    ...(fields.length === 0 ? [] : [table(["answers", "type", "what it is"], fields.map(cells))]),
    ...(Object.keys(others).length === 0 ? [] : [
      `Other answers: ${Object.keys(others).map(code).join(", ")}; [errors](errors.md).`,
    ]),
  ];
}

function cells({ name, type, meaning }: Pick<Field, "name" | "type" | "meaning">): string[] {
  return [code(name), prose(type), prose(meaning)];
}
