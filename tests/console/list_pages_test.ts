/**
 * How far a file of a list goes, and what it says where it ends before the list does.
 *
 * @module
 */

import assert from "node:assert/strict";
import { listProjects } from "../../src/admin/accounts/projects.ts";
import type { ConsoleContext } from "../../src/console/frame/console_env.ts";
import { listPages, MOST_EXPORTED } from "../../src/console/parts/list_pages.ts";
import { GatewayError } from "../../src/errors.ts";

interface Asked {
  readonly limit: number;
  readonly after?: string;
}

/** Reads a list of the numbers from 1 to `length`, which refuses what is behind `broken`. */
async function read(length: number, broken?: { readonly after: string | undefined }) {
  const asked: Asked[] = [];
  const call = (_operation: unknown, query: Asked) => {
    asked.push(query);
    if (broken !== undefined && query.after === broken.after) {
      return Promise.reject(new GatewayError("invalid_value", "That row is gone"));
    }
    const from = Number(query.after ?? 0);
    const to = Math.min(from + query.limit, length);
    const data = Array.from({ length: to - from }, (_, at) => from + at + 1);
    return Promise.resolve({ data, has_more: to < length, last_id: to === 0 ? null : String(to) });
  };
  const context = { var: { admin: { call } } } as unknown as ConsoleContext;
  const list = { operation: listProjects, query: {}, advice: "ask elsewhere" };
  const pages = listPages<number>(context, list);
  const rows: number[] = [];
  for (;;) {
    const page = await pages.next();
    if (page.done === true) return { rows, said: page.value, asked };
    rows.push(...page.value);
  }
}

Deno.test("a list is read in pages of 1000, to its end", async () => {
  const { rows, said, asked } = await read(2_500);
  assert.deepEqual([rows.length, rows.at(-1), said], [2_500, 2_500, undefined]);
  assert.deepEqual(asked, [
    { limit: 1_000 },
    { limit: 1_000, after: "1000" },
    { limit: 1_000, after: "2000" },
  ]);
  const none = await read(0);
  assert.deepEqual([none.rows, none.said], [[], undefined]);
});

Deno.test("a full file says behind what there is more, and a whole one nothing", async () => {
  const more = await read(MOST_EXPORTED + 1);
  assert.equal(more.rows.length, MOST_EXPORTED);
  assert.equal(more.said, `There are more, behind ${MOST_EXPORTED}: ask elsewhere`);
  const whole = await read(MOST_EXPORTED);
  assert.deepEqual([whole.rows.length, whole.said], [MOST_EXPORTED, undefined]);
});

Deno.test("what fails at first is thrown, and later it is the last line", async () => {
  await assert.rejects(read(5_000, { after: undefined }), /That row is gone/);
  const { rows, said } = await read(5_000, { after: "2000" });
  assert.deepEqual([rows.length, said], [2_000, "There are more, behind 2000: That row is gone"]);
});
