/**
 * What a conversation consists of in the neutral form: blocks of text, pictures, calls, thoughts …
 * A reader of a dialect makes them, and a writer of another one takes them.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";

/** What only one dialect has a word for: its own writer puts it back, the others leave it out. */
export interface Extra {
  /** Name of the dialect, or of the family whose dialects have it alike. */
  readonly of: string;
  readonly fields: Readonly<JsonObject>;
}

/** Something that stands in a request. */
export interface Placed {
  /** Where the caller has it, such as `input[3].content[0]`: to name it where it cannot be said. */
  readonly at: string;
  readonly extra?: Extra;
}

/** What somebody said. */
export interface TextBlock extends Placed {
  readonly type: "text";
  readonly text: string;
}

/** What the model would not say, in its words. */
export interface RefusalBlock extends Placed {
  readonly type: "refusal";
  readonly text: string;
}

/** Where the bytes of a picture or file are. */
export interface Source {
  /** `url`: a URL, or a data URL; `data`: a data URL, or base64 alone; `id`: kept by the vendor. */
  readonly by: "url" | "data" | "id";
  readonly value: string;
  readonly at: string;
}

/** A picture. */
export interface ImageBlock extends Placed {
  readonly type: "image";
  readonly source: Source;
  /** How closely the model is to look: `low`, `high`, `original`, `auto`. */
  readonly detail?: string;
}

/** A file, such as a PDF. */
export interface FileBlock extends Placed {
  readonly type: "file";
  readonly source: Source;
  readonly name?: string;
}

/** A sound. */
export interface AudioBlock extends Placed {
  readonly type: "audio";
  /** Base64. */
  readonly data: string;
  /** `wav`, `mp3` … */
  readonly format?: string;
}

/**
 * Functions take JSON, custom tools take any text; a search finds tools that are offered from then
 * on, and takes JSON. An upstream that is converted to is offered functions alone.
 */
export type ToolKind = "function" | "custom" | "search";

/** A tool that the model calls. */
export interface CallBlock extends Placed {
  readonly type: "call";
  readonly kind: ToolKind;
  readonly id: string;
  readonly name: string;
  /** The group that the tool is in; absent: none. */
  readonly namespace?: string;
  /** A function's arguments as JSON text, or a custom tool's input. */
  readonly input: string;
}

/** What a tool gave. */
export interface ResultBlock extends Placed {
  readonly type: "result";
  readonly kind: ToolKind;
  /** Of the call. */
  readonly id: string;
  readonly content: readonly Block[];
  readonly isError?: true;
}

/** What the model thought. Without text where only the seal came. */
export interface ReasoningBlock extends Placed {
  readonly type: "reasoning";
  readonly text: string;
  readonly seal?: Seal;
}

/** A vendor's opaque words about thoughts (signature, encrypted content): nobody else can read them. */
export interface Seal {
  /** Name of the dialect. */
  readonly of: string;
  readonly value: string;
  /** Which of the dialect's, where it has several; absent: the usual one. */
  readonly form?: string;
}

/** What the form has no word for: refused by every dialect but the one that it is from. */
export interface OtherBlock extends Placed {
  readonly type: "other";
  readonly of: string;
  readonly value: Readonly<JsonObject>;
  /** In words for the caller, such as `an input item of type 'web_search_call'`. */
  readonly what: string;
  /** The type of the tool that it is about, where it tells what one did; absent: none. */
  readonly tool?: string;
}

export type Block =
  | TextBlock
  | RefusalBlock
  | ImageBlock
  | FileBlock
  | AudioBlock
  | CallBlock
  | ResultBlock
  | ReasoningBlock
  | OtherBlock;

/** What one side says at a time. Results of tools come from the user's side. */
export interface Turn extends Placed {
  readonly role: "system" | "user" | "assistant";
  readonly blocks: readonly Block[];
  /** Whether it goes on with the assistant's turn before it, as one message would. */
  readonly continues?: true;
}

const NOTHING: Readonly<JsonObject> = {};

/** The fields of an object that are not among the known ones, as something to spread; nulls are none. */
export function extraOf(
  of: string,
  value: Readonly<JsonObject>,
  known: ReadonlySet<string>,
): { readonly extra?: Extra } {
  // Nearly all have none.
  let fields: JsonObject | undefined;
  for (const name in value) {
    if (known.has(name) || value[name] === null || value[name] === undefined) continue;
    (fields ??= {})[name] = value[name];
  }
  return fields === undefined ? NOTHING : { extra: { of, fields } };
}

/** The fields, if they are of this dialect or family. */
export function ownExtra(of: string, extra: Extra | undefined): Readonly<JsonObject> {
  return extra?.of === of ? extra.fields : NOTHING;
}
