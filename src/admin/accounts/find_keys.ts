/**
 * Keys by how their id, or what is shown of them, begins: for people, who then
 * say which one they mean. What changes a key takes its whole id.
 *
 * @module
 */

import * as z from "zod";
import { keyRow, shownKey } from "./keys.ts";
import { defineOperation } from "../base/operation.ts";

/** What every id and every key begins with says nothing. */
const SHORTEST_BEGINNING = 5;
const SAYS_NOTHING: ReadonlySet<string> = new Set(["sk-tg", "sk-tg-"]);
const MOST_SHOWN = 8;

export const findKeys = defineOperation({
  name: "keys.find",
  method: "GET",
  path: "/keys/find",
  effects: "reads",
  summary: "Finds keys by how their id, or the visible part of the key, begins.",
  input: z.strictObject({ begins: z.string().min(1).max(100) }),
  output: z.object({
    keys: z.array(shownKey),
    more: z.boolean().describe("Whether there are more than are shown"),
  }),
  errors: [],
  run(deps, { begins }) {
    const found = saysTooLittle(begins) ? [] : deps.directory.keys().filter(
      ({ id, prefix }) => id.startsWith(begins) || prefix.startsWith(begins),
    );
    return Promise.resolve({
      keys: found.slice(0, MOST_SHOWN).map((key) => keyRow(deps, key)),
      more: found.length > MOST_SHOWN,
    });
  },
});

/** Whether every key might begin so: nothing is looked for then. */
export function saysTooLittle(begins: string): boolean {
  return begins.length < SHORTEST_BEGINNING || SAYS_NOTHING.has(begins);
}
