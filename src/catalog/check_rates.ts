/**
 * Rules of the catalogue file for one side of a route's prices: what its kind of model is
 * priced by, and what conditions can ever be so.
 *
 * @module
 */

import { type DocumentPath, mappingFrom, type Report } from "../documents/problem.ts";
import {
  buysTokens,
  capabilitiesOf,
  capabilityOf,
  kindOf,
  makesImages,
  makesVideos,
  MODEL_KINDS,
  type ModelKind,
} from "../domain/capabilities.ts";
import { conditionOf, TERM_NAMES, type ToldOf } from "../domain/terms.ts";
import { UNIT_NAMES, unitOf } from "../domain/units.ts";
import { asArray } from "../domain/json_value.ts";

/** Checks rates, raw as they are in the file. */
export function checkRates(
  rates: unknown,
  { path, kind, report }: { path: DocumentPath; kind: unknown; report: Report },
): void {
  const own = MODEL_KINDS.find((one) => one === kind);
  const { when, ...base } = mappingFrom(rates);
  for (const key of Object.keys(base)) {
    const misfit = misfitOf(key, own);
    if (misfit !== undefined) report([...path, key], misfit);
  }
  const twice = own === undefined ? undefined : soldTwice([base, ...asArray(when)], own);
  if (twice !== undefined) report(path, twice);
  if (typeof base.second === "object" && asArray(when).some((one) => "size" in mappingFrom(one))) {
    report([...path, "second"], "Sizes are under when already: name them in one of the two");
  }
  for (const [index, one] of asArray(when).map(mappingFrom).entries()) {
    const at = [...path, "when", index];
    const keys = Object.keys(one);
    for (const key of keys) {
      const misfit = misfitOf(key, own);
      if (misfit !== undefined) report([...at, key], misfit);
      else if (isUsual(key, one[key])) report([...at, key], USUAL);
    }
    if (!keys.some(isCondition)) {
      report(at, `Needs a condition: ${conditionNames(own).join(", ")}`);
    }
    if (keys.every(isCondition)) report(at, "Needs at least one rate");
  }
}

function isCondition(key: string): boolean {
  return key === CONTEXT_ABOVE || TERM_NAMES.some((name) => conditionOf(name).wire === key);
}

function isUsual(key: string, value: unknown): boolean {
  return TERM_NAMES.map(conditionOf).some(({ wire, usual }) =>
    wire === key && usual?.some((one) => one === value) === true
  );
}

const USUAL = "This is the usual: write its rates without a condition";

const CONTEXT_ABOVE = "context_above";

/** The conditions that calls of a kind can fulfil. */
function conditionNames(kind: ModelKind | undefined): readonly string[] {
  const fitting = TERM_NAMES.map(conditionOf).filter((one) =>
    kind === undefined || one.of.some((of) => fits(kind, of))
  );
  const names = fitting.map(({ wire }) => wire);
  return kind === undefined || buysTokens(kind) ? [...names, CONTEXT_ABOVE] : names;
}

function fits(kind: ModelKind, of: ToldOf): boolean {
  if (of === "films") return makesVideos(kind);
  if (of === "images") return makesImages(kind);
  return capabilitiesOf(kind).some((name) => capabilityOf(name).writesTokens);
}

/** Why rates would price the same thing under two of the lists of units that a kind is sold by. */
function soldTwice(sides: readonly unknown[], kind: ModelKind): string | undefined {
  const given = new Set(sides.flatMap((side) => Object.keys(mappingFrom(side))));
  const found = kindOf(kind).buys.flatMap((units) => {
    const isOfTokens = units.some((unit) => unitOf(unit).side !== undefined);
    const names = UNIT_NAMES.filter((unit) =>
      isOfTokens ? unitOf(unit).side !== undefined : units.includes(unit)
    ).map((unit) => unitOf(unit).wire);
    const name = names.find((name) => given.has(name));
    return name === undefined ? [] : [name];
  });
  return found.length < 2
    ? undefined
    : `Priced by ${found.join(" and by ")}, which would be paid for twice: keep one of them`;
}

/** Why a rate or a condition has no place with a kind of model. */
function misfitOf(key: string, kind: ModelKind | undefined): string | undefined {
  if (kind === undefined) return undefined;
  if (isCondition(key)) {
    if (conditionNames(kind).includes(key)) return undefined;
    return `Nothing is told of it for ${kind} models: remove it`;
  }
  const unit = UNIT_NAMES.find((name) => unitOf(name).wire === key);
  if (unit === undefined) return undefined;
  if (unitOf(unit).side !== undefined) {
    if (buysTokens(kind)) return undefined;
    const name = `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`;
    return `${name} models are priced per ${kindOf(kind).buys[0][0]}, not per token: remove it`;
  }
  const buyers = MODEL_KINDS.filter((one) => kindOf(one).buys.flat().includes(unit));
  return buyers.length === 0 || buyers.includes(kind)
    ? undefined
    : `Only ${buyers.join(" and ")} models are priced per ${key}: remove it`;
}
