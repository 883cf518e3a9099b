/**
 * What of a request's or an answer's JSON is kept: texts without what is redacted, images and files as
 * their type and size, and no more of it all than there is room for. What comes last is kept first, as
 * the newest turn of a conversation says most of its call.
 *
 * @module
 */

import { isObject, type JsonObject } from "../domain/json_value.ts";
import type { Redactor } from "./redactor.ts";

/** A text that is cut is read so much further, so that no half of what would be redacted is left at its end. */
const BEYOND = 8_192;
/** What every value takes, however short. */
const VALUE_COST = 8;
const MOST_DEPTH = 100;
/** JSON inside a text, such as a tool call's arguments, is looked into up to here. */
const MOST_INNER = 256 * 1024;
const MOST_INNER_DEPTH = 3;

/** Opaque parts of answers, of no use to a reader. */
const SEALS: ReadonlySet<string> = new Set(["signature", "encrypted_content", "thought_signature"]);
/** Members that hold a file, in the dialects. */
const FILES: ReadonlySet<string> = new Set(["data", "file_data", "b64_json"]);
/** Members that hold a link to one, and those whose `url` does. */
const LINKS: ReadonlySet<string> = new Set(["image_url", "file_url"]);
const LINK_HOLDERS: ReadonlySet<string> = new Set(["image_url", "source", "file", "video_url"]);

const DATA_URL = /data:([\w.+-]{1,60}\/[\w.+-]{1,60})?(?:;[\w=.-]{1,60}){0,4};base64,[\w+\/=-]*/gi;
const BASE64 = /(?<![\w+\/=-])[A-Za-z0-9+\/_-]{400,}={0,2}/g;

export class Shortener {
  readonly #redactor: Redactor;
  #left: number;
  #isCut = false;

  /** @param room Characters that may be kept. */
  constructor(redactor: Redactor, room: number) {
    this.#redactor = redactor;
    this.#left = room;
  }

  /** Whether anything was left out for lack of room. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** What is kept of a JSON value. */
  shorten(value: unknown): unknown {
    return this.#value(value, { key: "", parent: "", depth: 0, inner: 0 });
  }

  #value(value: unknown, at: Place): unknown {
    this.#left -= VALUE_COST;
    if (typeof value === "string") return this.#text(value, at);
    if (typeof value === "number") return this.#number(value);
    if (typeof value !== "object" || value === null) return value;
    if (at.depth >= MOST_DEPTH || this.#left <= 0) return this.#cut();
    return Array.isArray(value) ? this.#list(value, at) : this.#object(value as JsonObject, at);
  }

  #list(values: readonly unknown[], at: Place): unknown[] {
    const kept: unknown[] = [];
    const inside = { ...at, depth: at.depth + 1 };
    for (let index = values.length - 1; index >= 0; index--) {
      if (this.#left <= 0) {
        this.#isCut = true;
        kept.push(`[cut: ${index + 1} more]`);
        break;
      }
      kept.push(this.#value(values[index], inside));
    }
    return kept.reverse();
  }

  #object(value: JsonObject, { key: parent, depth, inner }: Place): JsonObject {
    const kept: [string, unknown][] = [];
    for (const key in value) {
      if (this.#left <= 0) {
        this.#cut();
        break;
      }
      const name = this.#plain(key);
      kept.push([name, this.#value(value[key], { key, parent, depth: depth + 1, inner })]);
    }
    return Object.fromEntries(kept) as JsonObject;
  }

  /** A card's number may be one. */
  #number(value: number): unknown {
    if (!Number.isInteger(value) || Math.abs(value) < 1e11) return value;
    const text = String(value);
    const redacted = this.#redactor.redact(text);
    return redacted === text ? value : redacted;
  }

  #text(text: string, { key, parent, depth, inner }: Place): string {
    if (SEALS.has(key) && text.length > 0) return "[sealed]";
    if (FILES.has(key) && text.length > 64 && !text.startsWith("data:")) {
      return `[${sizeText(bytesIn(text))}]`;
    }
    if (LINKS.has(key) || (key === "url" && LINK_HOLDERS.has(parent))) {
      const host = /^https?:\/\/(?:[^\s\/@]*@)?([^\s\/?#]{1,253})/i.exec(text)?.[1];
      if (host !== undefined) return this.#plain(`[link to ${host}]`);
    }
    const json = inner < MOST_INNER_DEPTH ? innerJson(text) : undefined;
    if (json !== undefined && text.length <= this.#left) {
      return JSON.stringify(this.#value(json, { key, parent, depth: depth + 1, inner: inner + 1 }));
    }
    return this.#plain(text);
  }

  #plain(text: string): string {
    const room = Math.max(0, this.#left);
    // A file in a text takes no room.
    const bare = text.length > 400 ? withoutFiles(text) : text.replaceAll(DATA_URL, fileText);
    if (bare.length <= room) {
      this.#left -= bare.length;
      return this.#redactor.redact(bare);
    }
    this.#isCut = true;
    this.#left = 0;
    if (room === 0) return `[cut: ${bare.length} characters]`;
    const window = this.#redactor.redact(bare.slice(0, room + BEYOND));
    const end = Math.max(0, Math.min(room, window.length - BEYOND));
    return `${window.slice(0, end)}… [cut: ${bare.length - end} more characters]`;
  }

  #cut(): string {
    this.#isCut = true;
    return "[cut]";
  }
}

/** Where a value stands. */
interface Place {
  readonly key: string;
  readonly parent: string;
  readonly depth: number;
  /** How many texts around it are JSON. */
  readonly inner: number;
}

function withoutFiles(text: string): string {
  return text.replaceAll(DATA_URL, fileText)
    .replaceAll(BASE64, (found) => `[${sizeText(bytesIn(found))}]`);
}

function fileText(found: string, type: string | undefined): string {
  return `[${type ?? "file"}, ${sizeText(bytesIn(found.slice(found.indexOf(",") + 1)))}]`;
}

/** Bytes that so much base64 stands for. */
function bytesIn(base64: string): number {
  return Math.floor(base64.replace(/=+$/, "").length * 3 / 4);
}

function sizeText(bytes: number): string {
  return `${bytes} bytes`;
}

function innerJson(text: string): unknown {
  if (text.length > MOST_INNER || !/^\s*[{[]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) || Array.isArray(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
