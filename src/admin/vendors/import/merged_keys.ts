/**
 * Merge keys of YAML 1.1, which LiteLLM's reader takes and YAML 1.2 has no more: `<<: *anchor`.
 *
 * @module
 */

import { asArray, isObject } from "../../../domain/json_value.ts";

/** The value with what `<<` stands for: what is written beside it goes before that. */
export function withMergedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMergedKeys);
  if (!isObject(value)) return value;
  const { "<<": told, ...own } = value;
  const bases = (Array.isArray(told) ? asArray(told) : [told]).map(withMergedKeys).filter(isObject);
  const parts = [...bases.toReversed(), own].flatMap((part) => Object.entries(part));
  return Object.fromEntries(parts.map(([key, part]) => [key, withMergedKeys(part)]));
}
