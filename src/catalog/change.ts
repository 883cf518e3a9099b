/**
 * One difference between a catalogue and what replaces it, in words; and what of either is shown to nobody.
 *
 * @module
 */

import { isObject } from "../domain/json_value.ts";
import { formatPath } from "../documents/problem.ts";
import type { FilePart } from "./to_file.ts";
import { PROVIDER_KINDS } from "../providers/kinds.ts";

/** What stands for a value that is not shown. */
export const HIDDEN = "(hidden)";

const HIDDEN_SETTINGS: ReadonlySet<string> = new Set(
  PROVIDER_KINDS.flatMap(({ hides = [] }) => hides),
);

/** Whether what a part has under a name is not shown. */
export function isHidden(name: string): boolean {
  return HIDDEN_SETTINGS.has(name);
}

/** A part as it is shown: of what is hidden only the names are there, and nothing of lists. */
export function conceal(part: FilePart, isConcealed = isHidden): FilePart {
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, isConcealed(name) ? hide(value) : value]),
  );
}

function hide(value: unknown): unknown {
  return isObject(value) ? conceal(value, () => true) : HIDDEN;
}

/** A setting that differs, in the file's words; `undefined` where it is absent. */
export interface FieldChange {
  /** Path inside the part, such as `cost.input`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** One difference. */
export interface Change {
  readonly action: "add" | "change" | "remove";
  readonly kind: "revision" | "currency" | "provider" | "model" | "route" | "project";
  readonly id: string;
  /** What differs; only with `change`. */
  readonly fields?: readonly FieldChange[];
}

const SIGNS = { add: "+", change: "~", remove: "-" } as const;

/** One line: `~ route openai/gpt-5-mini: cost.input 0.25 → 0.30`. */
export function describeChange({ action, kind, id, fields = [] }: Change): string {
  const details = fields.map(({ path, before, after }) =>
    `${path} ${describeValue(before)} → ${describeValue(after)}`
  );
  const line = `${SIGNS[action]} ${kind} ${id}`;
  return details.length === 0 ? line : `${line}: ${details.join(", ")}`;
}

function describeValue(value: unknown): string {
  if (value === undefined) return "(none)";
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}

/** What differs between two parts, by value: one entry per leaf, lists as a whole. */
export function compareParts(before: FilePart, after: FilePart): readonly FieldChange[] {
  const old = leavesOf(before);
  const young = leavesOf(after);
  const paths = new Set([...old.keys(), ...young.keys()]);
  return [...paths].flatMap((path) => {
    const values = { before: old.get(path), after: young.get(path) };
    if (canonical(values.before) === canonical(values.after)) return [];
    const hides = isHidden(/^[^.[]*/.exec(path)![0]);
    return [{
      path,
      before: hides && values.before !== undefined ? HIDDEN : values.before,
      after: hides && values.after !== undefined ? HIDDEN : values.after,
    }];
  });
}

function leavesOf(
  part: unknown,
  path: readonly string[] = [],
  leaves: Map<string, unknown> = new Map(),
): Map<string, unknown> {
  const isMapping = isObject(part);
  // Below the first level an empty mapping is a value of its own (`set: { thinking: {} }`).
  if (isMapping && (path.length < 2 || Object.keys(part).length > 0)) {
    for (const [key, value] of Object.entries(part)) leavesOf(value, [...path, key], leaves);
  } else {
    leaves.set(formatPath(path), part);
  }
  return leaves;
}

/** JSON with sorted keys, so that equal values have equal texts. */
export function canonical(value: unknown): string | undefined {
  return JSON.stringify(
    value,
    (_key, inner) =>
      isObject(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1))
        : inner,
  );
}
