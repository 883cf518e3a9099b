/**
 * Names of tools and ids of calls, as another dialect's upstream takes them, and back.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { Buffer } from "node:buffer";
import { asObject, type JsonObject } from "../../domain/json_value.ts";
import { toolsNow } from "./tool_changes.ts";

/** OpenAI's limit; agents make longer ones of a server's name and a tool's. */
const MOST_CHARACTERS = 64;
const KEPT_CHARACTERS = 55;

/** The same name for the same tool, always. */
export function shortName(name: string): string {
  if (name.length <= MOST_CHARACTERS) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${name.slice(0, KEPT_CHARACTERS)}_${hash}`;
}

/** The long names of a request's tools, by their short ones. */
export function longNames(body: Readonly<JsonObject>): ReadonlyMap<string, string> {
  const long = new Map<string, string>();
  for (const { tool } of toolsNow(body)) {
    const name = asObject(tool)?.name;
    if (typeof name === "string" && name.length > MOST_CHARACTERS) long.set(shortName(name), name);
  }
  return long;
}

const ID = /^[a-zA-Z0-9_-]+$/;
const WRAPPED = "tgid_";

/** An upstream's id of a call as clients of this dialect, and its upstreams, take it. */
export function wrapId(id: string): string {
  return ID.test(id) ? id : WRAPPED + Buffer.from(id).toString("base64url");
}

/** The upstream's own id again. */
export function unwrapId(id: string): string {
  return id.startsWith(WRAPPED)
    ? Buffer.from(id.slice(WRAPPED.length), "base64url").toString()
    : id;
}
