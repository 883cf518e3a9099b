/**
 * The texts that come in deltas: by which events, inside which part of which item.
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
