/**
 * The events of a response that OpenAI has: texts that come in deltas, by which events and inside which
 * part of which item; and those beside texts. No others reach a client: the official ones raise at types
 * that they do not know, and at events of items that have not begun.
 *
 * @module
 */

import type { JsonObject } from "../../../domain/json_value.ts";

/** Where in an item its texts stand. */
export type Holder = "content" | "summary" | "arguments" | "input";

/** One kind of text. */
export interface PieceKind {
  /** What its events begin with: `<base>.delta` brings more of it, `<base>.done` all of it. */
  readonly base: string;
  readonly itemType: string;
  readonly holder: Holder;
  /** The field with the text, in the part (or the item) and in the `done` event. */
  readonly field: "text" | "refusal" | "arguments" | "input";
  /** For a text in a part of its own. */
  readonly part?: {
    readonly type: string;
    /** What the events around the text begin with: `<base>.added`, `<base>.done`. */
    readonly base: string;
    readonly indexField: "content_index" | "summary_index";
  };
}

const CONTENT = { base: "response.content_part", indexField: "content_index" } as const;

const KINDS: readonly PieceKind[] = [
  {
    base: "response.output_text",
    itemType: "message",
    holder: "content",
    field: "text",
    part: { ...CONTENT, type: "output_text" },
  },
  {
    base: "response.refusal",
    itemType: "message",
    holder: "content",
    field: "refusal",
    part: { ...CONTENT, type: "refusal" },
  },
  {
    base: "response.reasoning_text",
    itemType: "reasoning",
    holder: "content",
    field: "text",
    part: { ...CONTENT, type: "reasoning_text" },
  },
  {
    base: "response.reasoning_summary_text",
    itemType: "reasoning",
    holder: "summary",
    field: "text",
    part: {
      type: "summary_text",
      base: "response.reasoning_summary_part",
      indexField: "summary_index",
    },
  },
  {
    base: "response.function_call_arguments",
    itemType: "function_call",
    holder: "arguments",
    field: "arguments",
  },
  {
    base: "response.custom_tool_call_input",
    itemType: "custom_tool_call",
    holder: "input",
    field: "input",
  },
];

const BY_BASE = new Map(KINDS.map((kind) => [kind.base, kind]));
const BY_PART = new Map(
  KINDS.flatMap((kind) => kind.part === undefined ? [] : [[kind.part.type, kind] as const]),
);

/** The kind whose events begin so. */
export function kindOfEvents(base: string): PieceKind | undefined {
  return BY_BASE.get(base);
}

/** The kind of text that is in a part; `undefined` for parts without one that is streamed. */
export function kindOfPart({ type }: JsonObject): PieceKind | undefined {
  return typeof type === "string" ? BY_PART.get(type) : undefined;
}

/** The kinds of text that an item of a type has beside its parts. */
export function wholeKindsOf(itemType: unknown): readonly PieceKind[] {
  return KINDS.filter((kind) => kind.part === undefined && kind.itemType === itemType);
}

/** What an event without a place of its own in an item is about. */
export interface PassingEvent {
  /** `undefined` for what belongs to no item. */
  readonly itemType: string | undefined;
  readonly verbs: readonly string[];
}

const STEPS = ["in_progress", "completed", "failed"];
const SEARCH = ["in_progress", "searching", "completed"];
const TEXT = ["delta", "done"];

const EVENTS: { readonly [base: string]: PassingEvent | undefined } = {
  "response.output_text.annotation": { itemType: "message", verbs: ["added"] },
  "response.audio": { itemType: undefined, verbs: TEXT },
  "response.audio.transcript": { itemType: undefined, verbs: TEXT },
  "response.code_interpreter_call": {
    itemType: "code_interpreter_call",
    verbs: ["in_progress", "interpreting", "completed"],
  },
  "response.code_interpreter_call_code": { itemType: "code_interpreter_call", verbs: TEXT },
  "response.file_search_call": { itemType: "file_search_call", verbs: SEARCH },
  "response.web_search_call": { itemType: "web_search_call", verbs: SEARCH },
  "response.image_generation_call": {
    itemType: "image_generation_call",
    verbs: ["in_progress", "generating", "partial_image", "completed"],
  },
  "response.mcp_call": { itemType: "mcp_call", verbs: STEPS },
  "response.mcp_call_arguments": { itemType: "mcp_call", verbs: TEXT },
  "response.mcp_list_tools": { itemType: "mcp_list_tools", verbs: STEPS },
  "response.shell_call_command": { itemType: "shell_call", verbs: ["added", ...TEXT] },
  "response.shell_call_output_content": { itemType: "shell_call_output", verbs: TEXT },
  "response.compaction": { itemType: "compaction", verbs: ["compacting"] },
};

/** What an event `<base>.<verb>` is about; `undefined` for one that OpenAI does not have. */
export function passingEvent(base: string, verb: string): PassingEvent | undefined {
  const event = Object.hasOwn(EVENTS, base) ? EVENTS[base] : undefined;
  return event?.verbs.includes(verb) === true ? event : undefined;
}
