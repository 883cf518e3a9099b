/**
 * Turns as messages: of one side at a time, with the results of tools before anything else that is
 * said with them.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { TurnsRequest } from "../turns/turns_request.ts";
import { writeBlock } from "./write_blocks.ts";

interface Draft {
  readonly role: "user" | "assistant";
  readonly results: JsonObject[];
  readonly content: JsonObject[];
}

/** The system's words, wherever they stand, and the messages of both sides. */
export function writeMessages(
  { instructions, turns }: Pick<TurnsRequest, "instructions" | "turns">,
): { readonly system: readonly JsonObject[]; readonly messages: readonly JsonObject[] } {
  const system = instructions.flatMap(writeBlock);
  const drafts: Draft[] = [];
  for (const { role, blocks } of turns) {
    const written = blocks.flatMap(writeBlock);
    if (role === "system") {
      system.push(...written);
      continue;
    }
    if (written.length === 0) continue;
    let draft = drafts.at(-1);
    if (draft?.role !== role) drafts.push(draft = { role, results: [], content: [] });
    for (const block of written) {
      (block.type === "tool_result" ? draft.results : draft.content).push(block);
    }
  }
  trimLast(drafts.at(-1));
  const messages = drafts.map(({ role, results, content }) => ({
    role,
    content: [...results, ...content],
  }));
  return { system, messages };
}

/** An answer that is begun for the model may not end in white space. */
function trimLast(draft: Draft | undefined): void {
  const last = draft?.role === "assistant" ? draft.content.at(-1) : undefined;
  if (typeof last?.text === "string") last.text = last.text.trimEnd();
}
