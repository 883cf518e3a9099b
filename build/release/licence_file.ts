/**
 * One file with the licences of everything inside.
 *
 * @module
 */

import type { Component } from "./components.ts";

/** Names each component once, and each text once, behind the names of those that it is for. */
export function licenceFile(components: readonly Component[]): string {
  const byText = Map.groupBy(components, ({ texts }) => texts.join("\n\n"));
  const parts = [...byText].map(([text, those]) =>
    `${RULE}\n${those.map(headOf).join("\n")}\n${RULE}\n\n${text}\n`
  );
  return `Tollgate is under the licence in the file LICENSE. Its executable also holds what follows.

${components.map((one) => `  ${headOf(one)}`).join("\n")}

${parts.join("\n")}`;
}

const RULE = "-".repeat(80);

function headOf({ name, version, licence }: Component): string {
  return `${version === undefined ? name : `${name} ${version}`} (${licence})`;
}
