/**
 * Calls as a file: all that the filters of the page find, as far as a bound.
 *
 * @module
 */

import { type CallRow, listCalls } from "../../admin/list_calls.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { type Cells, type RowPages, sendRows } from "../parts/download.ts";
import { type CallFilters, filtersIn } from "./call_filters.tsx";
import { given } from "./page_routes.ts";

/** Calls of one file. */
export const MOST_EXPORTED = 20_000;
const PAGE_ROWS = 1_000;
/** The longest that is looked for them. */
const MOST_MS = 60_000;

const CELLS: Cells<CallRow> = {
  request_id: (row) => row.request_id,
  opened_at: (row) => row.opened_at,
  closed_at: (row) => row.closed_at,
  project: (row) => row.project,
  key: (row) => row.key,
  endpoint: (row) => row.capability,
  model: (row) => row.model,
  provider: (row) => row.provider,
  route: (row) => row.route,
  state: (row) => row.state,
  result: (row) => row.result,
  error_code: (row) => row.error_code,
  why: (row) => row.refusal?.why,
  milliseconds: (row) => row.milliseconds,
  first_byte_ms: (row) => row.first_byte_ms,
  attempts: (row) => row.attempts,
  prompt_tokens: (row) => row.usage?.prompt_tokens,
  completion_tokens: (row) => row.usage?.completion_tokens,
  cached_tokens: (row) => row.usage?.cached_tokens,
  reasoning_tokens: (row) => row.usage?.reasoning_tokens,
  currency: (row) => row.currency,
  held: (row) => row.held,
  cost: (row) => row.cost,
  sale: (row) => row.sale,
  charged: (row) => row.charged,
  loss: (row) => row.loss,
  tags: (row) => row.tags,
};

export function exportCalls(context: ConsoleContext): Promise<Response> {
  const pages = callPages(context, filtersIn(context));
  return sendRows(context, { name: "calls", cells: CELLS, pages });
}

async function* callPages(context: ConsoleContext, filters: CallFilters): RowPages<CallRow> {
  const { admin } = context.var;
  const endsAt = performance.now() + MOST_MS;
  let after: string | null | undefined;
  for (let rows = 0; rows < MOST_EXPORTED;) {
    const limit = Math.min(PAGE_ROWS, MOST_EXPORTED - rows);
    const page = await admin.call(listCalls, { ...filters, limit, ...given("after", after ?? "") });
    yield page.data;
    rows += page.data.length;
    if (!page.has_more) return undefined;
    after = page.last_id;
    if (performance.now() >= endsAt) break;
  }
  return `There are more, behind ${after}: name the time with from and to`;
}
