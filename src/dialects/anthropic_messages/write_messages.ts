/**
 * Turns as messages: of one side at a time, with the results of tools before anything else that is
 * said with them.
 *
 * @module
 */

import { asArray, isObject, type JsonObject } from "../../domain/json_value.ts";
import type { TurnsRequest } from "../turns/turns_request.ts";
import { writeBlock } from "./write_blocks.ts";

/** The most marks for a cache that a request may have. */
const MOST_MARKS = 4;

interface Message {
  readonly role: string;
  readonly content: readonly JsonObject[];
}

interface Draft {
  readonly role: "user" | "assistant" | "system";
  readonly results: JsonObject[];
  readonly content: JsonObject[];
}

/**
 * The system's words and the messages of both sides.
 *
 * @param hasSystemTurns Whether the system's words stay where they stand in mid-conversation.
 */
export function writeMessages(
  { instructions, turns }: Pick<TurnsRequest, "instructions" | "turns">,
  hasSystemTurns: boolean,
): { readonly system: readonly JsonObject[]; readonly messages: readonly Message[] } {
  const system = instructions.flatMap(writeBlock);
  const drafts: Draft[] = [];
  for (const { role, blocks } of turns) {
    const written = blocks.flatMap(writeBlock);
    if (role === "system" && (!hasSystemTurns || drafts.length === 0)) {
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

/** Takes marks for a cache away that are too many: those of tools and of the system go first, then the last. */
export function limitMarks(
  { tools, system, messages }: {
    readonly tools: readonly JsonObject[];
    readonly system: readonly JsonObject[];
    readonly messages: readonly Message[];
  },
): void {
  const said = messages.flatMap(({ content }) => content.flatMap(withParts));
  const marked = [...[...tools, ...system].reverse(), ...said.reverse()]
    .filter(({ cache_control: mark }) => mark !== undefined);
  for (const block of marked.slice(MOST_MARKS)) delete block.cache_control;
}

function withParts(block: JsonObject): readonly JsonObject[] {
  return [...asArray(block.content).filter(isObject), block];
}

/** An answer that is begun for the model may not end in white space. */
function trimLast(draft: Draft | undefined): void {
  const last = draft?.role === "assistant" ? draft.content.at(-1) : undefined;
  if (typeof last?.text === "string") last.text = last.text.trimEnd();
}
