/**
 * What a completion request needs of a route, and what its price depends on.
 *
 * @module
 */

import { asCount, type JsonObject } from "../../domain/json_value.ts";
import type { RequestFacts } from "../../domain/request_facts.ts";
import type { PromptParts, SizedBody } from "../base/dialect.ts";
import { promptList } from "../openai/prompt_input.ts";
import { tierOf } from "../openai/settings.ts";

/** Most tokenizers take about four characters of English for a token. */
const CHARACTERS_PER_TOKEN = 4;

/** The facts of a completion's body. */
export function completionFacts({ body, bodyBytes }: SizedBody, stream: boolean): RequestFacts {
  const suffix = tokensOf(suffixOf(body));
  let total = 0;
  let longest = 0;
  const prompts = promptsOf(body);
  for (const one of prompts) {
    const tokens = suffix + tokensOf(one);
    total += tokens;
    if (tokens > longest) longest = tokens;
  }
  return {
    capability: "completions",
    stream,
    tools: false,
    vision: false,
    jsonSchema: false,
    terms: tierOf(body),
    promptTokensEstimate: total,
    contextTokensEstimate: longest,
    // A token is at least a byte of a text, and an id takes two; each prompt has the suffix.
    promptTokensBound: bodyBytes + (prompts.length - 1) * byteLength(suffixOf(body)),
    maxOutputTokens: body.max_tokens === 0 ? 0 : asCount(body.max_tokens),
    choices: completionChoices(body),
  };
}

/** Completions that are paid for: of every prompt, also those that are not chosen. */
export function completionChoices(body: Readonly<JsonObject>): number {
  return promptsOf(body).length * Math.max(asCount(body.n) ?? 1, asCount(body.best_of) ?? 1);
}

/** What a model reads of it: texts, or tokens that are counted already. */
export function completionPrompt(body: Readonly<JsonObject>): PromptParts {
  const texts: string[] = [];
  let otherTokens = 0;
  for (const one of promptsOf(body)) {
    for (const part of [one, suffixOf(body)]) {
      if (typeof part !== "string") otherTokens += part.length;
      else if (part !== "") texts.push(part);
    }
  }
  return { texts, otherTokens };
}

function promptsOf({ prompt }: Readonly<JsonObject>) {
  return promptList(prompt ?? "");
}

function suffixOf({ suffix }: Readonly<JsonObject>): string {
  return typeof suffix === "string" ? suffix : "";
}

function tokensOf(prompt: string | readonly number[]): number {
  return typeof prompt === "string"
    ? Math.ceil(prompt.length / CHARACTERS_PER_TOKEN)
    : prompt.length;
}

/** Of UTF-8, at most. */
function byteLength(text: string): number {
  return 3 * text.length;
}
