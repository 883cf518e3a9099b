/**
 * Turns as contents: of one side at a time, with the system's words in a place of their own.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { ModelTraits } from "../../domain/model_traits.ts";
import type { TurnsRequest } from "../turns/turns_request.ts";
import { writeParts } from "./write_parts.ts";

interface Content {
  readonly role: "user" | "model";
  readonly parts: JsonObject[];
}

/**
 * The conversation, and what the model is told first.
 *
 * @param words Said after all other instructions.
 */
export function writeContents(
  { instructions, turns }: Pick<TurnsRequest, "instructions" | "turns">,
  { systemPlace: hasPlace, richResults = false }: ModelTraits,
  words: string | undefined,
): JsonObject {
  const options = { richResults, names: new Map<string, string>() };
  const system = [...writeParts(instructions, options)];
  const contents: Content[] = [];
  for (const { role, blocks } of turns) {
    const parts = writeParts(blocks, options);
    if (role === "system") {
      system.push(...parts);
      continue;
    }
    if (parts.length === 0) continue;
    const side = role === "assistant" ? "model" : "user";
    const last = contents.at(-1);
    if (last?.role === side) last.parts.push(...parts);
    else contents.push({ role: side, parts: [...parts] });
  }
  if (words !== undefined) system.push({ text: words });
  if (system.length === 0) return { contents };
  // No contents at all are refused, and some models have no other place.
  if (contents.length === 0) return { contents: [{ role: "user", parts: system }] };
  if (hasPlace) return { systemInstruction: { parts: system }, contents };
  const [first] = contents as [Content];
  if (first.role === "user") first.parts.unshift(...system);
  else contents.unshift({ role: "user", parts: system });
  return { contents };
}
