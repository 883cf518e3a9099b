/**
 * Settings given for a piece of the catalogue, joined with those that it has.
 *
 * @module
 */

import { HIDDEN } from "../../catalog/change.ts";
import type { FilePart } from "../../catalog/to_file.ts";
import { asArray } from "../../domain/json_value.ts";
import { GatewayError } from "../../errors.ts";

/** A piece with the settings that are given. */
export function mergePiece<Before extends FilePart>(
  { id, before, settings, replace }: {
    readonly id: string;
    readonly before: Before | undefined;
    readonly settings: FilePart;
    readonly replace: boolean;
  },
): FilePart & { readonly id: string } {
  if (settings.id !== undefined && settings.id !== id) {
    throw new GatewayError(
      "invalid_value",
      `The settings are those of '${settings.id}', not of '${id}': leave their id out`,
      { param: "settings.id" },
    );
  }
  const old = before ?? {};
  const part = replace ? restoreHidden(old, settings) : mergeSettings(old, settings);
  return { ...part, id };
}

/** The list with a part in the place of the one with its id, or behind the others. */
export function replacePart<Part extends { readonly id?: unknown }>(
  parts: readonly Part[],
  part: Part,
): readonly Part[] {
  const isThere = parts.some(({ id }) => id === part.id);
  return isThere ? parts.map((one) => one.id === part.id ? part : one) : [...parts, part];
}

/** The list without the part of that id. */
export function withoutPart<Part extends { readonly id?: unknown }>(
  parts: readonly Part[],
  id: string,
): readonly Part[] {
  return parts.filter((part) => part.id !== id);
}

/** Fields of an upstream's body, where `null` is a value. */
const BODY_PARTS = ["set", "default"];

/**
 * What is given replaces what is there, mapping by mapping, and `null` takes away (RFC 7396),
 * where it is no value. A value that is given as hidden is the one that is there.
 */
function mergeSettings(before: FilePart, given: FilePart, isBody = false): FilePart {
  const merged = new Map(Object.entries(before));
  // The short form, and the one thing that is sold for.
  if (given.free === true && !isBody) merged.delete("sale");
  if (isMapping(given.second) && !isBody) dropSizes(merged);
  for (const [name, value] of Object.entries(given)) {
    if (value === null && !isBody) merged.delete(name);
    else if (isMapping(value)) {
      const old = before[name];
      const joined = isMapping(old) && isJoined(name, old, value) ? old : {};
      merged.set(name, mergeSettings(joined, value, isBody || BODY_PARTS.includes(name)));
    } else merged.set(name, value === HIDDEN ? hiddenValue(before, name) : value);
  }
  return Object.fromEntries(merged);
}

/** Sizes of a second are short for conditions of size alone, in whose place they come. */
function dropSizes(price: Map<string, unknown>): void {
  const isOfSize = (one: unknown) =>
    isMapping(one) && Object.keys(one).sort().join() === "second,size";
  const others = asArray(price.get("when")).filter((one) => !isOfSize(one));
  if (others.length > 0) price.set("when", others);
  else price.delete("when");
}

/** A sale is for rates, by a markup or free: one of them takes the place of another. */
function isJoined(name: string, before: FilePart, given: FilePart): boolean {
  return name !== "sale" || saleKind(before) === saleKind(given);
}

function saleKind({ markup, free }: FilePart): string {
  if (markup !== undefined) return "markup";
  return free === undefined ? "rates" : "free";
}

/** What a whole piece is given as, without what is `null`; hidden values are those that are there. */
function restoreHidden(before: FilePart, given: FilePart, isBody = false): FilePart {
  const part = Object.entries(given).filter(([, value]) => value !== null || isBody);
  return mapValues(Object.fromEntries(part), (value, name) => {
    if (value === HIDDEN) return hiddenValue(before, name);
    if (!isMapping(value)) return value;
    const old = before[name];
    return restoreHidden(isMapping(old) ? old : {}, value, isBody || BODY_PARTS.includes(name));
  });
}

/** As after a copy of another piece: to leave it out would be to send requests without it. */
function hiddenValue(before: FilePart, name: string): unknown {
  if (Object.hasOwn(before, name)) return before[name];
  throw new GatewayError(
    "invalid_value",
    `'${name}' is given as ${HIDDEN}, which stands for the value that is there, and there is none: ` +
      "write the value itself",
    { param: "settings" },
  );
}

function mapValues(
  part: FilePart,
  change: (value: unknown, name: string) => unknown,
): FilePart {
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, change(value, name)]),
  );
}

function isMapping(value: unknown): value is FilePart {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
