/**
 * Settings as somebody has typed them, without what may be a secret: typed into the wrong place, or
 * where a reference to one belongs.
 *
 * @module
 */

import { formatPath } from "../documents/problem.ts";
import { writeYaml } from "../documents/write_yaml.ts";
import { parseYamlDocument } from "../documents/yaml_document.ts";
import { isObject } from "../domain/json_value.ts";
import { secretReference } from "../providers/upstream/settings.ts";
import { HIDDEN, isHidden } from "./change.ts";
import { KIND_SETTINGS, providerSchema } from "./provider_schema.ts";

/** What stands for a typed value that is not shown. No setting is taken that has it. */
export const TYPE_AGAIN = "(type it again)";

/** A text without what may be a secret. */
export interface ConcealedText {
  /** As it was typed where there is nothing to conceal. */
  readonly yaml: string;
  /** What is left out of it. */
  readonly concealed: readonly string[];
}

/** Names under which people keep secrets, in whatever a request's body is given. */
const SOUNDS_SECRET =
  /(?:^|[_-])(?:key|apikey|secret|password|passwd|token|authorization|bearer|credentials?)$/i;
/** An address that says who asks in no part of it. */
const PLAIN_ADDRESS = /^[a-z]+:\/\/[\w.:-]+(?:\/[\w./:~%-]*)?$/i;
/** A line of YAML that gives something a name. */
const NAMED = /^(\s*(?:-\s+)?["']?([\w.-]+)["']?\s*:)(?:\s+(.*))?$/;
const COMMENT = /(?:^|\s)#/m;
/** Shorter words are in any sentence. */
const SHORTEST_WORD = 6;

/**
 * Leaves out what may be a secret. Of a provider that is each value of headers and queries, of settings
 * that it is none of, and of those that it would be refused for; references stay. Of models and routes
 * it is what sounds like one. A text that is no YAML is judged line by line.
 */
export function concealTyped(kind: "provider" | "model" | "route", yaml: string): ConcealedText {
  const concealed: string[] = [];
  const hide = (value: string) => {
    concealed.push(value);
    return TYPE_AGAIN;
  };
  const isProvider = kind === "provider";
  const read = parseYamlDocument(yaml, { file: kind });
  if (!read.ok) {
    const lines = yaml.split(/\r?\n/);
    const shown = isProvider
      ? lines.map((line) => providerLine(line, hide))
      : soundingLines(lines, hide);
    return { yaml: concealed.length === 0 ? yaml : shown.join("\n"), concealed };
  }
  const { value } = read.document;
  const shown = isProvider && isObject(value)
    ? mapValues(value, (one, name) => isPlain(name, one) ? one : concealLeaves(one, hide))
    : isProvider
    ? concealLeaves(value, hide)
    : concealSounding(value, hide);
  // Comments are not stored, so that whoever writes settings anew loses nothing by them.
  const isAsTyped = concealed.length === 0 && !(isProvider && COMMENT.test(yaml));
  return { yaml: isAsTyped ? yaml : writeYaml(shown), concealed };
}

/** Paths of values that still are to be typed again, in given settings. */
export function toTypeAgain(value: unknown, path: readonly (string | number)[] = []): string[] {
  if (typeof value === "string") return value.includes(TYPE_AGAIN) ? [formatPath(path)] : [];
  if (typeof value !== "object" || value === null) return [];
  return [...Array.isArray(value) ? value.entries() : Object.entries(value)]
    .flatMap(([step, one]) => toTypeAgain(one, [...path, step]));
}

/** A message about a text without the words of it that are concealed: parsers quote what they refuse. */
export function withoutConcealed(message: string, { concealed }: ConcealedText): string {
  const words = concealed.flatMap((text) => [text.trim(), ...text.split(/[\s,:{}[\]"'&*!|>]+/)])
    .filter(({ length }) => length >= SHORTEST_WORD)
    .sort((one, other) => other.length - one.length);
  return words.reduce((text, word) => text.replaceAll(word, HIDDEN), message);
}

type Hide = (value: string) => string;

/** Whether a provider's setting is nothing that is hidden, and no secret in its place. */
function isPlain(name: string, value: unknown): boolean {
  if (!Object.hasOwn(providerSchema.shape, name)) return false;
  if (!KIND_SETTINGS.includes(name)) return true;
  if (name === "base_url" && typeof value === "string" && PLAIN_ADDRESS.test(value)) return true;
  const schema = providerSchema.shape[name as keyof typeof providerSchema.shape];
  return !isHidden(name) && schema.safeParse(value).success;
}

function concealLeaves(value: unknown, hide: Hide): unknown {
  if (Array.isArray(value)) return value.map((one) => concealLeaves(one, hide));
  if (isObject(value)) return mapValues(value, (one) => concealLeaves(one, hide));
  if (typeof value === "number") return hide(String(value));
  if (typeof value !== "string" || isSettled(value)) return value;
  return hide(value);
}

/** Whether a text tells nothing: a reference, a value that was hidden before, or none. */
function isSettled(text: string): boolean {
  return text === "" || text === HIDDEN || secretReference.safeParse(text).success;
}

function concealSounding(value: unknown, hide: Hide): unknown {
  if (Array.isArray(value)) return value.map((one) => concealSounding(one, hide));
  if (!isObject(value)) return value;
  return mapValues(
    value,
    (one, name) => SOUNDS_SECRET.test(name) ? concealLeaves(one, hide) : concealSounding(one, hide),
  );
}

function mapValues(
  mapping: Readonly<Record<string, unknown>>,
  change: (value: unknown, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(mapping).map(([name, value]) => [name, change(value, name)]),
  );
}

/** A line of what is meant as a provider: what is not surely plain is left out. */
function providerLine(line: string, hide: Hide): string {
  const [, start, name = "", rest = ""] = NAMED.exec(line) ?? [];
  const text = unquoted(start === undefined ? line.replace(/^\s*-\s+/, "") : rest);
  if (isSettled(text)) return line;
  const isWord = !/[\s,{}[\]&*!|>#]/.test(text);
  const isOwn = start !== undefined && /^\S/.test(line) && isPlain(name, text);
  // What YAML reads as another type than text is plain in a line of its own.
  const isBare = start !== undefined && /^(?:true|false|\d{1,7})$/.test(rest.trim()) &&
    /_ms$|^official$/.test(name);
  if (isWord && (isOwn || isBare)) return line;
  const indent = /^\s*/.exec(line)![0];
  return start === undefined ? indent + hide(line) : `${start} ${hide(rest)}`;
}

/** Lines of what is meant as a model or a route: what stands behind a name that sounds like a secret's. */
function soundingLines(lines: readonly string[], hide: Hide): string[] {
  let secretIndent = Infinity;
  return lines.map((line) => {
    const indent = /^\s*/.exec(line)![0].length;
    if (line.trim() !== "" && indent > secretIndent) return line.slice(0, indent) + hide(line);
    secretIndent = Infinity;
    const name = [...line.matchAll(/["']?([\w.-]+)["']?\s*:(?:\s+|$|(?=["']))/g)]
      .find(([, word]) => SOUNDS_SECRET.test(word!));
    if (name === undefined) return line;
    secretIndent = indent;
    const start = line.slice(0, name.index + name[0].length);
    const text = line.slice(start.length);
    return isSettled(unquoted(text)) ? line : start + hide(text);
  });
}

function unquoted(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/, "$2");
}
