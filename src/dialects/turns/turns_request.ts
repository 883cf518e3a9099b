/**
 * A request in the neutral form between dialects.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { Extra, OtherBlock, Placed, TextBlock, ToolKind, Turn } from "./blocks.ts";

/** A tool that the caller runs. */
export interface OwnTool extends Placed {
  readonly kind: ToolKind;
  readonly name: string;
  /** The group that it is in; absent: none. */
  readonly namespace?: string;
  /** What is said of that group. */
  readonly group?: string;
  readonly description?: string;
  /** JSON schema of a function's arguments. */
  readonly parameters?: Readonly<JsonObject>;
  readonly strict?: boolean;
  /** What a custom tool takes: `{ type: "text" }`, or `{ type: "grammar", syntax, definition }`. */
  readonly format?: unknown;
}

/** A tool that the model may call; `other` is one that a server runs. */
export type Tool = OwnTool | (Omit<OtherBlock, "type"> & { readonly kind: "other" });

/** One of the tools that are offered. */
export interface ToolName {
  readonly kind: ToolKind;
  readonly name: string;
  readonly namespace?: string;
}

/** What tells it apart from all others. */
export function toolKey({ kind, name, namespace = "" }: ToolName): string {
  return `${kind} ${namespace} ${name}`;
}

/** Whether the model may, must or must not call a tool, and which. */
export type ToolChoice =
  | {
    readonly mode: "auto" | "none" | "required";
    /** These alone, of those that are offered. */
    readonly allowed?: readonly ToolName[];
  }
  | { readonly mode: "named"; readonly tool: ToolName }
  | { readonly mode: "other"; readonly other: OtherBlock };

/** What a request says of tools. */
export interface Toolbox {
  readonly tools: readonly Tool[];
  readonly choice?: ToolChoice;
  readonly parallelCalls?: boolean;
}

/** The form that the answer is to have, where it is not free text. */
export type OutputFormat =
  | { readonly type: "json" }
  | {
    readonly type: "schema";
    readonly name: string;
    readonly description?: string;
    readonly schema: Readonly<JsonObject>;
    readonly strict?: boolean;
  };

/** How the model picks its words. */
export interface Settings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stop?: string | readonly string[];
  readonly seed?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  /** Who the caller's caller is. */
  readonly user?: string;
}

export interface TurnsRequest extends Toolbox {
  readonly model: unknown;
  /** What the model is told first, where the dialect has a place of its own for that. */
  readonly instructions: readonly TextBlock[];
  readonly turns: readonly Turn[];
  readonly format?: OutputFormat;
  /** How much it is to say: `low`, `medium`, `high`. */
  readonly verbosity?: string;
  /** How much it is to think: `none` to `max`. */
  readonly effort?: string;
  /** Probabilities of its words are wanted, and of how many others at each place. */
  readonly logprobs?: { readonly top?: unknown };
  readonly maxOutputTokens?: number;
  readonly settings: Settings;
  /** Fields that all dialects of a family have alike, and others may leave out. */
  readonly shared: Extra;
  /** Fields of the one dialect, which others may leave out. */
  readonly extra: Extra;
  /** Fields that others cannot do without changing what was asked for: of the dialect, or of its family. */
  readonly others: readonly OtherBlock[];
}
