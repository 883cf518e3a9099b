/**
 * Bodies that are no answers, in whatever dialect, and answers whose counts are absurd.
 *
 * @module
 */

import { jsonReply, textReply } from "../../support/fake_upstream_reply.ts";
import { type Case, padded, plainBomb, withHalf } from "./upstream_cases.ts";

/** An answer in one piece, as upstreams of one dialect give it. */
export interface Whole {
  /** @param text `Hi` where there is none. */
  readonly answer: (usage: unknown, text?: string) => object;
  /** Of 10 tokens read and 5 written. */
  readonly usage: object;
  /** How its text begins. */
  readonly beginning: string;
  /** The names of its counts of what was read and written. */
  readonly counts: readonly [read: string, written: string];
}

/** The cases of one dialect. */
export function wrongBodies({ answer, usage, beginning, counts }: Whole): readonly Case[] {
  const [read, written] = counts;
  const absurd: readonly (readonly [string, unknown])[] = [
    ["missing", undefined],
    ["null", null],
    ["negative", { [read]: -5, [written]: -1 }],
    ["a fraction", { [read]: 1.5, [written]: 1 }],
    ["beyond every context", { [read]: 1e15, [written]: 1e15 }],
    ["beyond every number", { [read]: 1e300, [written]: 1e300 }],
    ["text", { [read]: "many", [written]: {} }],
    ["a list", [1, 2, 3]],
  ];
  return [
    {
      name: "a huge answer",
      reply: {
        headers: { "content-type": "application/json" },
        steps: padded(answer(usage), 70),
      },
      outcome: "unavailable",
    },
    {
      name: "a gzip bomb",
      reply: textReply("application/json", plainBomb, { headers: { "content-encoding": "gzip" } }),
      outcome: "unavailable",
    },
    {
      name: "half an object",
      reply: textReply("application/json", beginning),
      outcome: "unavailable",
    },
    { name: "a list", reply: jsonReply([answer(usage)]), outcome: "unavailable" },
    {
      name: "half a UTF-8 sequence",
      reply: textReply("application/json", withHalf(JSON.stringify(answer(usage, "Hi #")))),
      outcome: { text: "Hi \ufffd", usage: "reported" },
    },
    ...absurd.map(([name, usage]): Case => ({
      name: `usage that is ${name}`,
      reply: jsonReply(answer(usage)),
      outcome: { text: "Hi", usage: "estimated" },
    })),
  ];
}
