/**
 * Other gateways' names of models as the catalogue takes them.
 *
 * @module
 */

import { wideId } from "../../../catalog/model_ids.ts";

/** A model's id for a name; `undefined` for one that stands for every name. */
export function idOf(name: string): string | undefined {
  if (wideId.safeParse(name).success) return name;
  const isWide = name.endsWith("*");
  const words = name.replace(/\*$/, "").replaceAll(/[^A-Za-z0-9._:@+/-]+/g, "-").split("/")
    .map((word) => word.replace(/^[^A-Za-z0-9]+/, "")).filter((word) => word !== "");
  const id = words.join("/").slice(0, 190).replace(/\/$/, "");
  if (isWide && id === "") return undefined;
  return `${id === "" ? "model" : id}${isWide ? "/*" : ""}`;
}
