/**
 * Calls, and requests that were refused before they became calls: found by what is known of them.
 *
 * @module
 */

import { type CallRow, listCalls } from "../../admin/list_calls.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import type { Notice } from "../frame/notice.ts";
import { NoticeBox, showPage } from "../frame/page.tsx";
import { ExportLinks } from "../parts/export_links.tsx";
import { Result } from "../parts/call_result.tsx";
import { type Column, Moment, Table } from "../parts/table.tsx";
import { showOneCall } from "./call.tsx";
import { showCallContent } from "./call_content.tsx";
import { exportCalls } from "./call_export.ts";
import { MOST_EXPORTED } from "../parts/list_pages.ts";
import { type CallFilters, FilterForm, filtersIn } from "./call_filters.tsx";
import { type ConsoleApp, given } from "./page_routes.ts";

/** What a page may take to look through calls: what is rare is looked for page after page. */
const WITHIN_MS = "120";

/** Pages before this one that its address remembers. */
const MOST_BEFORE = 30;

const COLUMNS: readonly Column<CallRow>[] = [
  { header: "Opened", value: ({ opened_at: at }) => <Moment at={at} /> },
  {
    header: "Request",
    value: ({ request_id: id }) => (
      <a href={`/console/calls/${encodeURIComponent(id)}`} aria-label={`Call ${id}`}>
        <code>{`…${id.slice(-14)}`}</code>
      </a>
    ),
  },
  { header: "Project", value: ({ project }) => project ?? "–" },
  { header: "Model", value: ({ model }) => model ?? "–" },
  { header: "Result", value: (row) => <Result row={row} /> },
  { header: "Route", value: ({ route }) => route ?? "–" },
  { header: "ms", value: ({ milliseconds }) => milliseconds ?? "–", kind: "right" },
  { header: "In", value: ({ usage }) => usage?.prompt_tokens ?? "–", kind: "right" },
  { header: "Out", value: ({ usage }) => usage?.completion_tokens ?? "–", kind: "right" },
  { header: "Price", value: ({ sale }) => sale ?? "–", kind: "right" },
  { header: "Key", value: ({ key }) => key ?? "–" },
];

export function mountCalls(app: ConsoleApp): void {
  app.get("/calls", showCalls as never);
  app.get("/calls/export", exportCalls as never);
  app.get("/calls/:request_id", showOneCall as never);
  app.get("/calls/:request_id/content", showCallContent as never);
}

async function showCalls(context: ConsoleContext): Promise<Response> {
  const filters = filtersIn(context);
  const { after } = context.req.query();
  const before = (context.req.query("before") ?? "").split(",").filter(Boolean)
    .slice(-MOST_BEFORE);
  const found = await findCalls(context, {
    ...filters,
    ...given("after", after),
    within_ms: WITHIN_MS,
  });
  if (found instanceof GatewayError) {
    const notice = { kind: "bad", text: found.message } as const;
    return await callsPage(context, { filters, notice, status: found.row.status });
  }
  const { data, has_more: hasMore, last_id: last, cut } = found;
  const older = last === null ? [] : [["after", last], ["before", [...before, after].join()]];
  const newer = before.length === 0 ? [] : [["before", before.slice(0, -1).join()]];
  const newest = before.at(-1);
  // Who looks for what is rare is led on by himself, by a header that needs no script.
  if (cut !== undefined && data.length === 0) {
    context.header("refresh", `1;url=${linkTo(filters, older)}`);
  }
  return await callsPage(
    context,
    { filters, notice: undefined, status: 200 },
    <>
      {cut !== undefined && <NoticeBox kind="warn" text={cutText(data.length, cut)} />}
      <Table
        rows={data}
        columns={COLUMNS}
        caption="Calls and refused requests, newest first (UTC)"
        none={cut === undefined ? "No such calls." : "None so far."}
      />
      <p class="pager">
        {after !== undefined && <a class="button" href={linkTo(filters, [])}>Newest</a>}
        {after !== undefined && newest !== undefined && (
          <a class="button" rel="prev" href={linkTo(filters, [["after", newest], ...newer])}>
            Newer
          </a>
        )}
        {hasMore && <a class="button" rel="next" href={linkTo(filters, older)}>Older</a>}
      </p>
      <ExportLinks
        path="/console/calls/export"
        query={filters}
        what={`Everything that these filters find, the newest ${MOST_EXPORTED} at most`}
      />
    </>,
  );
}

/** A page of calls; what is wrong with what was asked for is told beside it. */
async function findCalls(context: ConsoleContext, query: CallFilters) {
  try {
    return await context.var.admin.call(listCalls, query);
  } catch (error) {
    if (error instanceof GatewayError && error.row.status < 500) return error;
    throw error;
  }
}

function callsPage(
  context: ConsoleContext,
  { filters, notice, status }: {
    readonly filters: CallFilters;
    readonly notice: Notice | undefined;
    readonly status: number;
  },
  content?: ReturnType<typeof NoticeBox>,
): Response | Promise<Response> {
  return showPage(
    context,
    { title: "Calls", notice, status },
    <>
      <FilterForm filters={filters} />
      {content}
    </>,
  );
}

function cutText(
  found: number,
  { looked_at: rows, since }: { readonly looked_at: number; readonly since: string },
): string {
  return `Found ${found} among the ${rows} calls since ${since.slice(0, 16).replace("T", " ")}: ` +
    (found === 0
      ? "looking on by itself; it is sooner found where From and To name the time"
      : "go on with Older, or name the time with From and To");
}

function linkTo(filters: CallFilters, more: readonly (readonly string[])[]): string {
  const some = more.filter(([, value]) => value !== "") as [string, string][];
  return `/console/calls?${new URLSearchParams([...Object.entries(filters), ...some])}`;
}
