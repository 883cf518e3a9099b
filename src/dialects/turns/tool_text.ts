/**
 * The input of a custom tool, which is any text, as the arguments of a function, and back.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../domain/json_value.ts";

/** The function's only argument. */
const FIELD = "input";

/** What the function takes. */
export const TEXT_PARAMETERS: Readonly<JsonObject> = {
  type: "object",
  properties: { [FIELD]: { type: "string", description: "The whole input, as it is" } },
  required: [FIELD],
  additionalProperties: false,
};

/** A custom tool's input as arguments. */
export function textArguments(input: string): string {
  return JSON.stringify({ [FIELD]: input });
}

/** Before the text, in it, or behind it; `lost`: these are no such arguments. */
type Place = "before" | "text" | "behind" | "lost";

const BEGIN = new RegExp(`^\\s*\\{\\s*"${FIELD}"\\s*:\\s*"`);
/** What may yet become that: more is none. */
const MOST_BEFORE = 200;
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
  '"': '"',
  "\\": "\\",
  "/": "/",
};

/**
 * Reads a custom tool's input out of a function's arguments while they are written.
 *
 * What is not of the form that was asked for is told at the end: models that were not made for it
 * send the text under another name, or by itself.
 */
export class ToolTextReader {
  #place: Place = "before";
  /** All of it, until it is known to have the form. */
  #raw = "";
  /** An escape that is not whole. */
  #escape = "";
  /** The first half of a character, whose second one is still to come. */
  #half = "";

  /** What is new of the text. */
  add(written: string): string {
    switch (this.#place) {
      case "text":
        return this.#decode(written);
      case "behind":
        return "";
      case "lost":
        this.#raw += written;
        return "";
      case "before": {
        this.#raw += written;
        const [head] = BEGIN.exec(this.#raw) ?? [];
        if (head === undefined) {
          if (this.#raw.length > MOST_BEFORE) this.#place = "lost";
          return "";
        }
        const rest = this.#raw.slice(head.length);
        this.#raw = "";
        this.#place = "text";
        return this.#decode(rest);
      }
    }
  }

  /** What is left of it. */
  end(): string {
    const rest = this.#place === "text" ? this.#half : textIn(this.#raw);
    this.#raw = this.#escape = this.#half = "";
    this.#place = "behind";
    return rest;
  }

  #decode(written: string): string {
    const pieces: string[] = [];
    let at = 0;
    while (at < written.length) {
      if (this.#escape !== "") {
        this.#escape += written[at++];
        this.#addEscape(pieces);
        continue;
      }
      const end = nextSpecial(written, at);
      if (end > at) {
        pieces.push(this.#half, written.slice(at, end));
        this.#half = "";
      }
      if (end === written.length) break;
      at = end + 1;
      if (written[end] === '"') {
        pieces.push(this.#half);
        this.#half = "";
        this.#place = "behind";
        break;
      }
      this.#escape = "\\";
    }
    return pieces.join("");
  }

  /** Adds what the escape says, if it is whole; one that says nothing is text. */
  #addEscape(pieces: string[]): void {
    const escape = this.#escape;
    if (escape[1] !== "u") {
      this.#escape = "";
      pieces.push(this.#half, ESCAPES[escape[1]!] ?? escape);
      this.#half = "";
    } else if (!/^\\u[0-9a-f]{0,4}$/i.test(escape)) {
      this.#escape = "";
      pieces.push(this.#half, escape);
      this.#half = "";
    } else if (escape.length === 6) {
      this.#escape = "";
      const unit = String.fromCharCode(parseInt(escape.slice(2), 16));
      const both = this.#half + unit;
      // Half a character cannot be sent.
      if (/[\uD800-\uDBFF]$/.test(both)) {
        pieces.push(this.#half);
        this.#half = unit;
      } else {
        pieces.push(both);
        this.#half = "";
      }
    }
  }
}

function nextSpecial(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22 || code === 0x5c) return at;
  }
  return text.length;
}

/** The text of arguments that have another form: of an object the one text in it, of others itself. */
function textIn(raw: string): string {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return raw;
  }
  if (typeof value === "string") return value;
  if (!isObject(value)) return raw;
  const given = value[FIELD];
  if (typeof given === "string") return given;
  const texts = Object.values(value);
  if (texts.length === 0) return "";
  const [only] = texts;
  return texts.length === 1 && typeof only === "string" ? only : raw;
}
