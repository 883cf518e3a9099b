/**
 * Rules of the catalogue file for routes of video models.
 *
 * @module
 */

import { type DocumentPath, type Loose, mappingFrom, type Report } from "../documents/problem.ts";
import { conditionOf, TERM_NAMES } from "../domain/terms.ts";
import { asArray } from "../domain/json_value.ts";

/** What a film was asked for and sold by: a rule on it would falsify money. */
const SOLD_FIELDS = ["prompt", "size", "seconds", "input_reference"];

/** Checks a route of a video model, raw as it is in the file. */
export function checkVideo(route: Loose, path: DocumentPath, report: Report): void {
  const priced = pricedFields(route);
  const sold = [...SOLD_FIELDS, ...priced];
  for (const rule of ["set", "default"]) {
    for (const field of sold.filter((name) => name in mappingFrom(route[rule]))) {
      report([...path, rule, field], SOLD);
    }
  }
  for (const [index, field] of asArray(route.drop).entries()) {
    if (field === "prompt" || priced.some((name) => name === field)) {
      report([...path, "drop", index], SOLD);
    }
  }
}

/** Fields of the request that a condition of a price compares. */
function pricedFields({ cost, sale }: Loose): readonly string[] {
  const when = [cost, sale].flatMap((side) => asArray(mappingFrom(side).when)).map(mappingFrom);
  return TERM_NAMES.map(conditionOf)
    .filter(({ wire, isStored }) => isStored === true && when.some((one) => wire in one))
    .map(({ wire }) => wire);
}

const SOLD = "This field is what was asked for and sold: it cannot be changed by a rule";
