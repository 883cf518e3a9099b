/**
 * The operations of the documents, ready to be shown and searched.
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
} from "./described.ts";

/** An operation with all that its page says. */
export interface ShownOperation {
  readonly operation: PlacedOperation;
  /** Under which it stands in the list. */
  readonly group: string;
  readonly takes: readonly Field[];
  readonly answers: readonly Field[];
  readonly answerTypes: readonly string[];
  /** All that a search looks at, in small letters. */
  readonly words: string;
}

/**
 * Reads documents one after the other, as making one of everything at once keeps the thread from calls
 * for some hundred milliseconds.
 */
export async function showOperations(
  documents: Iterable<() => object>,
): Promise<readonly ShownOperation[]> {
  const shown: ShownOperation[] = [];
  for (const make of documents) {
    shown.push(...operationsOf(make()).map(show));
    await new Promise<void>((resolve) => setTimeout(resolve));
  }
  return shown;
}

function show(operation: PlacedOperation): ShownOperation {
  const { operationId, method, path, summary, description = "", responses, tags } = operation;
  const [takes, answers] = [takenOf(operation), answeredOf(operation)];
  const fields = [...takes, ...answers].map(({ name, meaning }) => `${name} ${meaning}`);
  const ends = Object.entries(responses).map(([status, one]) => `${status} ${one.description}`);
  return {
    operation,
    group: tags?.[0] ?? /^\/v\d\/([^/]+)/.exec(path)?.[1] ?? "beside the API",
    takes,
    answers,
    answerTypes: answerTypesOf(operation),
    words: [operationId, method, path, summary, description, ...fields, ...ends].join("\n")
      .toLowerCase(),
  };
}

/** Those in which all words of a question are, those that have them in their place or title first. */
export function searchOperations(
  shown: readonly ShownOperation[],
  question: string,
): readonly ShownOperation[] {
  const asked = question.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const found = shown.filter(({ words }) => asked.every((word) => words.includes(word)));
  const isNamed = ({ operation: { operationId, path, summary } }: ShownOperation) => {
    const title = `${operationId} ${path} ${summary}`.toLowerCase();
    return asked.every((word) => title.includes(word));
  };
  return [...found.filter(isNamed), ...found.filter((one) => !isNamed(one))];
}
