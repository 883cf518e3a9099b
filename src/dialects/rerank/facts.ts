/**
 * What a ranking request needs of a route, and what its price depends on.
 *
 * @module
 */

import { asArray, isObject, type JsonObject } from "../../domain/json_value.ts";
import type { RequestFacts } from "../../domain/request_facts.ts";
import type { PromptParts, SizedBody } from "../base/dialect.ts";

/** Cohere's unit: one query with so many documents, of which longer ones count as several. */
const DOCUMENTS_OF_UNIT = 100;
const TOKENS_OF_DOCUMENT = 500;
const CHARACTERS_PER_TOKEN = 4;
/** Of UTF-8 for one UTF-16 unit, at most. */
const MOST_BYTES_PER_CHARACTER = 3;

/** The facts of a ranking's body: the query is read beside every document. */
export function rerankFacts({ body, bodyBytes }: SizedBody): RequestFacts {
  const query = lengthOf(body.query);
  const documents = asArray(body.documents);
  let characters = 0;
  let longest = 0;
  let likelyParts = 0;
  let mostParts = 0;
  for (const document of documents) {
    const length = lengthOf(document);
    characters += length;
    if (length > longest) longest = length;
    likelyParts += partsOf(length / CHARACTERS_PER_TOKEN);
    mostParts += partsOf(length * MOST_BYTES_PER_CHARACTER);
  }
  const count = documents.length;
  return {
    capability: "rerank",
    stream: false,
    tools: false,
    vision: false,
    jsonSchema: false,
    expected: {
      likely: { searchUnit: unitsOf(likelyParts) },
      most: { searchUnit: unitsOf(mostParts) },
    },
    promptTokensEstimate: Math.ceil((query * count + characters) / CHARACTERS_PER_TOKEN),
    contextTokensEstimate: Math.ceil((query + longest) / CHARACTERS_PER_TOKEN),
    promptTokensBound: bodyBytes + query * MOST_BYTES_PER_CHARACTER * count,
    maxOutputTokens: undefined,
    choices: 1,
  };
}

/** What a model reads of it. */
export function rerankPrompt(body: Readonly<JsonObject>): PromptParts {
  const documents = asArray(body.documents);
  const query = Math.ceil(lengthOf(body.query) / CHARACTERS_PER_TOKEN);
  return {
    texts: documents.map(textOf).filter((text) => text !== ""),
    otherTokens: query * documents.length,
  };
}

/** The text of a document or a query; of one that is no text all that it says. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!isObject(value)) return "";
  return typeof value.text === "string" ? value.text : JSON.stringify(value);
}

function lengthOf(value: unknown): number {
  return textOf(value).length;
}

function partsOf(tokens: number): number {
  return Math.max(1, Math.ceil(tokens / TOKENS_OF_DOCUMENT));
}

function unitsOf(documents: number): number {
  return Math.ceil(documents / DOCUMENTS_OF_UNIT);
}
