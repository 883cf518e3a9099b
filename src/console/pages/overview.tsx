/**
 * The first page: what is spent and on what, and what needs somebody.
 *
 * @module
 */

import { listProjects } from "../../admin/accounts/projects.ts";
import { listAlerts } from "../../admin/alerts.ts";
import { listRoutes } from "../../admin/catalogue/routes.ts";
import { showQueue } from "../../admin/video_queue.ts";
import { listVideos } from "../../admin/videos.ts";
import { reportLatency } from "../../admin/latency.ts";
import { reportRefusals } from "../../admin/refusals.ts";
import { readRecentUsage } from "../../admin/recent_usage.ts";
import { reportUsage, type UsageRow } from "../../admin/usage.ts";
import { formatAmount, parseAmount } from "../../domain/money.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { noticeIn } from "../frame/notice.ts";
import { NoticeBox, showPage } from "../frame/page.tsx";
import { type Cells, type RowPages, sendRows } from "../parts/download.ts";
import { ExportLinks } from "../parts/export_links.tsx";
import { Figures, State, Table } from "../parts/table.tsx";
import type { ConsoleApp } from "./page_routes.ts";
import { Attention, attentionOf } from "./attention.tsx";
import { groupIn, LastHour } from "./last_hour.tsx";
import { SpendChart } from "./spend_chart.tsx";

const DAYS = 30;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export function mountOverview(app: ConsoleApp, now: () => number): void {
  app.get("/usage/export", exportUsage as never);
  app.get("/", async (context) => {
    const { admin } = context.var;
    const since = new Date(Math.floor(now() / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS);
    const from = since.toISOString().slice(0, 10);
    const today = new Date(now()).toISOString().slice(0, 10);
    // They are counted by whole hours: of the last one, and of the running one.
    const refusalsSince = Math.floor(now() / HOUR_MS - 1) * HOUR_MS;
    const by = groupIn(context.req.query("by"));
    const [usage, films, refusals, projects, alerts, routes, queued, working, queue, latency] =
      await Promise.all([
        admin.call(readRecentUsage, { days: DAYS }),
        admin.call(reportUsage, { by: "model", endpoint: "videos", from: today, details: true }),
        admin.call(reportRefusals, {
          by: "project,key,reason",
          from: new Date(refusalsSince).toISOString(),
        }),
        admin.call(listProjects, { limit: 1 }),
        admin.call(listAlerts, { limit: 1_000 }),
        admin.call(listRoutes, { limit: 1_000 }),
        admin.call(listVideos, { status: "queued", limit: 100 }),
        admin.call(listVideos, { status: "in_progress", limit: 100 }),
        admin.call(showQueue, {}),
        admin.call(reportLatency, { by }),
      ]);
    const days = Array.from({ length: DAYS }, (_, at) => since.getTime() + at * DAY_MS);
    const { currency } = projects.data[0] ?? { currency: "USD" };
    // Headers do without a script, and whoever reads on is not thrown back by them.
    if (!usage.whole) context.header("refresh", "2");
    const ofToday = usage.data.filter(({ day }) => day === today);
    return showPage(
      context as ConsoleContext,
      {
        title: "Overview",
        notice: noticeIn(context.req.query("done")),
        hasCharts: true,
        scripts: ["live.js"],
      },
      <div id="live">
        {!usage.whole && (
          <NoticeBox
            kind="warn"
            text={`The sums below are still being added up: they have every call since ${
              usage.whole_since.slice(0, 10)
            }. This page looks again by itself`}
          />
        )}
        <Attention
          findings={attentionOf({
            alerts: alerts.data,
            routes: routes.data,
            refusals: refusals.data,
            refusalsSince,
            pauses: queue.pauses,
          })}
        />
        <Figures
          figures={[
            ["Spent today", `${summed(ofToday, "sale")} ${currency}`],
            ["Calls today", String(ofToday.reduce((sum, { calls }) => sum + calls, 0))],
            [`Spent in ${DAYS} days`, `${summed(usage.data, "sale")} ${currency}`],
            [`Cost in ${DAYS} days`, `${summed(usage.data, "cost")} ${currency}`],
            ["Seconds of film today", filmSeconds(films.data)],
            ["Films queued", counted(queued)],
            ["Films in work", counted(working)],
          ]}
        />
        <LastHour context={context as ConsoleContext} by={by} report={latency} />
        <h2>Spend by day</h2>
        <SpendChart days={days} rows={usage.data} currency={currency} />
        <h2>By model</h2>
        <Table
          rows={byModel(usage.data)}
          caption={`Closed calls of ${DAYS} days (UTC)`}
          none="No calls yet: the first one is a curl away, see `tollgate serve`'s first lines."
          columns={[
            { header: "Model", value: ({ model }) => model },
            { header: "Calls", value: ({ calls }) => calls, kind: "right" },
            { header: "Tokens in", value: ({ promptTokens }) => promptTokens, kind: "right" },
            { header: "Tokens out", value: ({ outputTokens }) => outputTokens, kind: "right" },
            { header: "Spent", value: ({ saleE8 }) => formatAmount(saleE8), kind: "right" },
          ]}
        />
        <ExportLinks
          path="/console/usage/export"
          query={{ by: "day,model", from }}
          what={`By day and model, ${MOST_USAGE_LINES} lines at most`}
        />
        <h2>Routes</h2>
        <Table
          rows={routes.data.filter(({ status }) => status !== "ready")}
          caption="Routes that do not serve now"
          none={`All of ${routes.data.length} routes may serve.`}
          columns={[
            { header: "Route", value: ({ id }) => <a href={`/console/routes#${id}`}>{id}</a> },
            { header: "Model", value: ({ model }) => model },
            { header: "State", value: ({ status }) => <State kind="warn">{status}</State> },
          ]}
        />
      </div>,
    );
  });
}

/** Of one report: the operation's own bound. */
const MOST_USAGE_LINES = 10_000;

/** A usage report as a file: of what its address asks, in the operation's own words. */
async function exportUsage(context: ConsoleContext): Promise<Response> {
  const { format: _, ...query } = context.req.query();
  const { data, cut } = await context.var.admin.call(reportUsage, query);
  async function* pages(): RowPages<UsageRow> {
    yield data;
    return cut?.advice;
  }
  const columns = [...new Set(data.flatMap((row) => Object.keys(row)))] as (keyof UsageRow)[];
  const cells: Cells<UsageRow> = Object.fromEntries(
    columns.map((column) => [column, (row: UsageRow) => row[column]]),
  );
  return await sendRows(context, { name: "usage", cells, pages: pages() });
}

function summed(rows: readonly UsageRow[], field: "sale" | "cost"): string {
  return formatAmount(rows.reduce((sum, row) => sum + parseAmount(row[field]), 0n));
}

function filmSeconds(rows: readonly UsageRow[]): string {
  return rows.reduce((sum, { film_seconds: seconds = 0 }) => sum + seconds, 0).toLocaleString("en");
}

function counted({ data, has_more }: { readonly data: readonly unknown[]; has_more: boolean }) {
  return `${data.length}${has_more ? "+" : ""}`;
}

interface ModelSum {
  readonly model: string;
  calls: number;
  promptTokens: number;
  outputTokens: number;
  saleE8: bigint;
}

function byModel(rows: readonly UsageRow[]): readonly ModelSum[] {
  const sums = new Map<string, ModelSum>();
  for (const { model = "?", calls, prompt_tokens, completion_tokens, sale } of rows) {
    let sum = sums.get(model);
    if (sum === undefined) {
      sum = { model, calls: 0, promptTokens: 0, outputTokens: 0, saleE8: 0n };
      sums.set(model, sum);
    }
    sum.calls += calls;
    sum.promptTokens += prompt_tokens;
    sum.outputTokens += completion_tokens;
    sum.saleE8 += parseAmount(sale);
  }
  return [...sums.values()].sort((one, other) => Number(other.saleE8 - one.saleE8));
}
