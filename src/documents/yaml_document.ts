/**
 * YAML text (JSON is a subset) as a plain value that remembers where each part
 * stood, so that every fault found later can be shown with line and column.
 *
 * @module
 */

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from "yaml";
import { type DocumentPath, formatPath, type Problem } from "./problem.ts";

/** Aliases that one document may expand to: enough for people, too few for a "billion laughs". */
const MAX_ALIASES = 100;
/** Nesting that one document may have; JSON request bodies have the same bound. */
const MAX_DEPTH = 200;
/** A catalogue of 2,000 routes is about 1 MiB. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Keys of mappings that are compared: those of a mapping of 3,000, or of very many usual ones. */
const MAX_COMPARISONS = 5_000_000;

/** What became of a text: a document, or everything that is wrong with it. */
export type ParsedDocument =
  | { readonly ok: true; readonly document: YamlDocument }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** A parsed document: its plain value and the place of each of its parts. */
export class YamlDocument {
  /** Plain JSON data: mappings, lists, strings, finite numbers, booleans, null. */
  readonly value: unknown;
  readonly #file: string;
  readonly #document: Document;
  readonly #lines: LineCounter;

  constructor(
    value: unknown,
    parts: { file: string; document: Document; lines: LineCounter },
  ) {
    this.value = value;
    this.#file = parts.file;
    this.#document = parts.document;
    this.#lines = parts.lines;
  }

  /**
   * `file:line:column` of the part at `path`, or of its nearest part that exists.
   * With `key`, of the key instead of its value.
   */
  locate(path: DocumentPath, { key = false }: { key?: boolean } = {}): string {
    let node = this.#resolve(this.#document.contents);
    let offset = node?.range?.[0] ?? 0;
    for (const [index, step] of path.entries()) {
      const next = childOf(node, step);
      if (next === undefined) break;
      const ofKey = key && index === path.length - 1;
      const shown = ofKey ? next.key : next.value ?? next.key;
      offset = shown?.range?.[0] ?? offset;
      node = this.#resolve(next.value);
    }
    return placeOf(this.#file, this.#lines, offset);
  }

  /** The characters a scalar was written with (`0.10` for the number 0.1). */
  sourceOf(path: DocumentPath): string | undefined {
    let node = this.#resolve(this.#document.contents);
    for (const step of path) node = this.#resolve(childOf(node, step)?.value);
    return isScalar(node) ? node.source : undefined;
  }

  #resolve(node: unknown): Node | undefined {
    if (isAlias(node)) return node.resolve(this.#document);
    return (node ?? undefined) as Node | undefined;
  }
}

/**
 * Parses YAML 1.2 as plain data. Duplicate keys, unknown tags, several documents,
 * unbounded aliases, cycles and an empty text are problems; a byte order mark is not.
 */
export function parseYamlDocument(text: string, { file }: { file: string }): ParsedDocument {
  const at = (offset: number, message: string): Problem => ({
    source: placeOf(file, lines, offset),
    path: "",
    message,
  });
  const lines = new LineCounter();
  if (text.length > MAX_CHARACTERS) {
    return fail([{ source: file, path: "", message: `Larger than ${MAX_CHARACTERS} characters` }]);
  }
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: countedEquality(),
  });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    const seen = new Map<string, Problem>();
    for (const fault of faults) {
      const problem = at(fault.pos[0], explainSyntax(fault.code, fault.message));
      seen.set(`${problem.source} ${problem.message}`, problem);
    }
    return fail([...seen.values()].slice(0, 20));
  }
  if (document.contents === null || (isScalar(document.contents) && !document.contents.value)) {
    return fail([at(0, "Empty: expected a mapping of settings, found nothing")]);
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    if (!(error instanceof ReferenceError || error instanceof RangeError)) throw error;
    // The parser names unknown anchors and refuses aliases that multiply.
    return fail([at(0, error.message)]);
  }
  const parsed = new YamlDocument(value, { file, document, lines });
  const odd = findOddity(value, []);
  if (odd !== undefined) {
    const problem = { source: parsed.locate(odd.path), path: formatPath(odd.path) };
    return fail([{ ...problem, message: odd.message }]);
  }
  return { ok: true, document: parsed };
}

/**
 * Whether two keys are the same. The parser compares each key of a mapping with all before it, so
 * twenty thousand of them in one take it most of a minute. What is thrown here it reports as a fault
 * of the text.
 */
function countedEquality(): (one: unknown, other: unknown) => boolean {
  let comparisons = 0;
  return (one, other) => {
    if (++comparisons > MAX_COMPARISONS) throw new RangeError("Too many keys to compare");
    return one === other || (isScalar(one) && isScalar(other) && one.value === other.value);
  };
}

function fail(problems: readonly Problem[]): ParsedDocument {
  return { ok: false, problems };
}

function placeOf(file: string, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
}

function childOf(
  node: Node | undefined,
  step: string | number,
): { key: Node | undefined; value: Node | undefined } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) =>
      String(isScalar(key) ? key.value : key) === String(step)
    );
    if (pair === undefined) return undefined;
    return {
      key: pair.key as Node | undefined,
      value: (pair.value ?? undefined) as Node | undefined,
    };
  }
  if (isSeq(node) && typeof step === "number") {
    const item = node.items[step] as Node | undefined;
    return item === undefined ? undefined : { key: item, value: item };
  }
  return undefined;
}

function explainSyntax(code: string, message: string): string {
  switch (code) {
    case "DUPLICATE_KEY":
      return "The same key twice in one mapping: keep one of them";
    case "MULTIPLE_DOCS":
      return "A second document starts here: a file holds one, remove the '---'";
    case "RESOURCE_EXHAUSTION":
      return "Nested too deeply, or a mapping of too many keys";
    case "BLOCK_AS_IMPLICIT_KEY":
      return "A ': ' inside a plain value: put the value in quotes, or use { key: value }";
    case "TAB_AS_INDENT":
      return "A tab as indentation: YAML wants spaces";
    default:
      return message.replace(/\.$/, "");
  }
}

/** Finds what JSON cannot carry: cycles, excessive depth, infinite numbers. */
function findOddity(
  value: unknown,
  path: DocumentPath,
  ancestors: readonly unknown[] = [],
): { path: DocumentPath; message: string } | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return { path, message: "Expected a finite number" };
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (ancestors.includes(value)) return { path, message: "An alias to a part that contains it" };
  if (path.length > MAX_DEPTH) return { path, message: "Nested too deeply" };
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [step, child] of entries) {
    const odd = findOddity(child, [...path, step], [...ancestors, value]);
    if (odd !== undefined) return odd;
  }
  return undefined;
}
