/**
 * Compaction by a model of any upstream: it is asked for a summary, which stands for the conversation
 * from then on. Callers keep it as the item that OpenAI's own compaction gives; here it is opened
 * wherever it comes back.
 *
 * @module
 */

import {
  asArray,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../domain/json_value.ts";

/** What a model is told last. */
const INSTRUCTION =
  `The conversation so far is about to be replaced by a summary of it, with which \
another assistant goes on. Write this summary, and nothing else; do not go on with the task yourself, \
and call no tools. Say, as far as it applies:
- what the user wants, with every constraint and preference that was named;
- what has been done, found out and decided, and why;
- how things stand now: files, commands, names, ids, values and errors, word for word where that matters;
- what is left to do, the next step first, and which questions are open.
Make nothing up. The user's own messages are kept besides, but nothing of the tools' outputs is.`;

const INTRODUCTION = "What came before this was replaced by a summary of it:";

/** Bytes that a request for a summary has more than the conversation that it is of, and some. */
export const SUMMARY_BYTES = INSTRUCTION.length + 200;

/** The item that asks for it, which has to be the last one. */
const TRIGGER = "compaction_trigger";

/** Whether a request asks for the conversation to be compacted instead of going on. */
export function asksForCompaction({ input }: Readonly<JsonObject>): boolean {
  return Array.isArray(input) && asObject(input.at(-1))?.type === TRIGGER;
}

/** The request for a summary. Calls of earlier turns may need their tools; none is to be called. */
export function summaryRequest(body: Readonly<JsonObject>): JsonObject {
  const { text: _text, ...asked } = body;
  const items = asArray(body.input).filter((item) => asObject(item)?.type !== TRIGGER);
  const order = { type: "message", role: "user", content: textParts(INSTRUCTION) };
  const isOffering = asArray(body.tools).length > 0;
  return {
    ...asked,
    input: [...items, order],
    ...(isOffering ? { tool_choice: "none" } : { tool_choice: undefined }),
  };
}

/**
 * The conversation with every summary of ours opened; others' only the upstream that made them can.
 *
 * @param open Gives the text of one, by what is encrypted in an item, and the item's index.
 */
export function withSummaries(
  items: readonly JsonObject[],
  open: (wrapped: unknown, index: number) => string | undefined,
): readonly JsonObject[] {
  return items.some(isCompaction)
    ? items.map((item, index) =>
      opened(item, isCompaction(item) ? open(item.encrypted_content, index) : undefined)
    )
    : items;
}

/**
 * The item that stands for what was summarised.
 *
 * @param sealed The summary as `SummarySeals` wrap it.
 */
export function compactionItem(sealed: string, id: string): JsonObject {
  return { id, type: "compaction", encrypted_content: sealed };
}

/** What stays of a conversation as it is: what was said to the model, and the tools that it has. */
export function keptItems(items: readonly JsonObject[]): readonly JsonObject[] {
  return items.filter(({ type = "message", role }) =>
    type === "additional_tools" || (type === "message" && role !== "assistant")
  ).map((item) =>
    typeof item.content === "string" ? { ...item, content: textParts(item.content) } : item
  );
}

function isCompaction({ type }: JsonObject): boolean {
  return type === "compaction";
}

function opened(item: JsonObject, summary: string | undefined): JsonObject {
  if (summary === undefined) return item;
  return { type: "message", role: "user", content: textParts(`${INTRODUCTION}\n\n${summary}`) };
}

function textParts(text: string): readonly JsonObject[] {
  return [{ type: "input_text", text }];
}

/** The text of an answer; "" for none. */
export function textOfOutput(output: unknown): string {
  return asArray(output).filter(isObject).filter(({ type }) => type === "message")
    .flatMap(({ content }) => asArray(content))
    .map((part) => nonEmptyString(asObject(part)?.text) ?? "").join("");
}
