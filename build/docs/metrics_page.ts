/**
 * The metrics as a page: those that are counted, and those that are read when somebody asks.
 *
 * @module
 */

import {
  EVENT_FAMILIES,
  MOST_PROJECTS,
  PROJECT_FAMILIES,
  ROUTE_FAMILIES,
} from "../../src/telemetry/metrics/families.ts";
import { ROOT } from "../paths.ts";
import { code, page, prose, table } from "./markdown.ts";

/** Where gauges are read: there is no table of them, each is made where its value is. */
const GAUGES = "src/app/gauges.ts";

/** @throws {Error} When a gauge is not written as the others are. */
export async function metricsPage(): Promise<string> {
  const families = [
    ["Calls", ROUTE_FAMILIES, "By `model`, `provider`, `route` and `capability`."],
    ["Projects", PROJECT_FAMILIES, `By \`project\`: the first ${MOST_PROJECTS}, then \`other\`.`],
    ["The gateway", EVENT_FAMILIES, ""],
  ] as const;
  return page("Metrics", [
    "What `/metrics` tells Prometheus, with `--metrics`: [operating](../operating.md#metrics). No key, " +
    "user, tag or prompt is ever in a label.",
    ...families.flatMap(([heading, table_, by]) => [
      `## ${heading}`,
      ...(by === "" ? [] : [by]),
      table(
        ["name", "type", "what it is"],
        Object.values(table_).map(({ name, type, help }) => [code(name), type, prose(help)]),
      ),
    ]),
    "## As it is now",
    table(
      ["name", "type", "what it is"],
      (await gauges()).map(([name, help]) => [
        code(name),
        "gauge",
        prose(help),
      ]),
    ),
  ]);
}

async function gauges(): Promise<readonly (readonly [name: string, help: string])[]> {
  const source = await Deno.readTextFile(`${ROOT}/${GAUGES}`);
  const found = [...source.matchAll(/\b(?:gauge|one)\(\s*"(\w+)",\s*"([^"]+)"/g)]
    .map(([, name, help]) => [name!, help!] as const);
  const named = new Set(
    [...source.matchAll(/"((?:tollgate|process)_\w+)"/g)].map(([, name]) => name),
  );
  const untold = [...named].filter((name) => !found.some(([one]) => one === name));
  if (untold.length > 0) {
    throw new Error(
      `Cannot read ${untold.join(", ")} in ${GAUGES}: no name and help stand together`,
    );
  }
  return found;
}
