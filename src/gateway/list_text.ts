/**
 * A long list as JSON text, in turns: what thousands of vectors take to be written, no other call
 * waits for.
 *
 * @module
 */

import type { JsonObject } from "../domain/json_value.ts";

/** Items that are written at one time; a shorter list is written at once. */
const ITEMS_PER_TURN = 32;

/** The JSON text of an object whose `data` may be a long list; at once where it is none. */
export function listText(answer: Readonly<JsonObject>): string | Promise<string> {
  const { data } = answer;
  return Array.isArray(data) && data.length > ITEMS_PER_TURN
    ? textInTurns(answer, data)
    : JSON.stringify(answer);
}

async function textInTurns(answer: object, data: readonly unknown[]): Promise<string> {
  const pieces: string[] = [];
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined) continue;
    pieces.push(pieces.length === 0 ? "{" : ",", JSON.stringify(name), ":");
    if (name !== "data") {
      pieces.push(JSON.stringify(value));
      continue;
    }
    for (let start = 0; start < data.length; start += ITEMS_PER_TURN) {
      const text = JSON.stringify(data.slice(start, start + ITEMS_PER_TURN));
      // Without the brackets of a part.
      pieces.push(start === 0 ? "[" : ",", text.slice(1, -1));
      // Sockets have their turn with timers, and seldom while immediates go on.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    pieces.push("]");
  }
  return `${pieces.join("")}}`;
}
