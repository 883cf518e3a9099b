/**
 * How the last hour went: how many calls, how fast, how many failed; drawn, and told by what the
 * reader asks for.
 *
 * @module
 */

import {
  LATENCY_GROUPS,
  type LatencyPart,
  type LatencyRow,
  reportLatency,
} from "../../admin/latency.ts";
import type { Shown } from "../../documents/shown.ts";
import { settingsPath } from "./piece_kinds.ts";
import { Link } from "../parts/link.tsx";
import { type Column, Figures, Moment, Table } from "../parts/table.tsx";
import type { ConsoleContext } from "../frame/console_env.ts";

type Group = typeof LATENCY_GROUPS[number];

/** What the address of the page asks for. */
export function groupIn(by: string | undefined): Group {
  return LATENCY_GROUPS.find((one) => one === by) ?? "model";
}

/** The section. */
export function LastHour({ context, by, report }: {
  readonly context: ConsoleContext;
  readonly by: Group;
  readonly report: Shown<typeof reportLatency.output>;
}) {
  const { all, data, parts, cut_at: cutAt } = report;
  return (
    <>
      <h2>The last hour</h2>
      {cutAt !== null && (
        <p class="quiet">
          There were so many calls that these are those since <Moment at={cutAt} />.
        </p>
      )}
      <Figures
        figures={[
          ["Calls", String(all.calls)],
          ["Failed", failedOf(all)],
          ["Half took at most", msText(all.p50_ms)],
          ["19 of 20 took at most", msText(all.p95_ms)],
          ["First byte, half", msText(all.first_byte_p50_ms)],
          ["First byte, 19 of 20", msText(all.first_byte_p95_ms)],
        ]}
      />
      {all.calls > 0 && <Charts parts={parts} />}
      <nav class="tabs" aria-label="By what the last hour is told">
        {LATENCY_GROUPS.map((one) => (
          <a
            class="button"
            href={`/console?by=${one}`}
            aria-current={one === by ? "true" : undefined}
          >
            {one[0]!.toUpperCase() + one.slice(1)}
          </a>
        ))}
      </nav>
      <Table
        rows={data}
        caption={`Calls of the last hour, by ${by}`}
        none="No call has ended in the last hour."
        columns={[
          {
            header: by[0]!.toUpperCase() + by.slice(1),
            value: ({ name }) => <Named context={context} by={by} name={name} />,
            kind: "wide",
          },
          ...COLUMNS,
        ]}
      />
    </>
  );
}

const COLUMNS: readonly Column<LatencyRow>[] = [
  { header: "Calls", value: ({ calls }) => calls, kind: "right" },
  { header: "Failed", value: failedOf, kind: "right" },
  { header: "p50", value: ({ p50_ms }) => msText(p50_ms), kind: "right" },
  { header: "p95", value: ({ p95_ms }) => msText(p95_ms), kind: "right" },
  { header: "First byte p50", value: (row) => msText(row.first_byte_p50_ms), kind: "right" },
  { header: "First byte p95", value: (row) => msText(row.first_byte_p95_ms), kind: "right" },
];

function failedOf({ calls, failed }: Pick<LatencyRow, "calls" | "failed">): string {
  return failed === 0 ? "0" : `${failed} (${((failed / calls) * 100).toFixed(1)} %)`;
}

function msText(ms: number | null): string {
  return ms === null ? "–" : `${ms.toLocaleString("en")} ms`;
}

/** The name, leading to its calls or its page. */
function Named(
  { context, by, name }: {
    readonly context: ConsoleContext;
    readonly by: Group;
    readonly name: string;
  },
) {
  const to = by === "provider"
    ? settingsPath("provider", name)
    : by === "endpoint"
    ? undefined
    : `/console/calls?${new URLSearchParams({ [by]: name })}`;
  return to === undefined ? <>{name}</> : <Link context={context} to={to}>{name}</Link>;
}

function Charts({ parts }: { readonly parts: readonly LatencyPart[] }) {
  const times = parts.map(({ from }) => Date.parse(from) / 1_000);
  const series = (name: string, value: (part: LatencyPart) => number | null) => ({
    name,
    values: parts.map(value),
  });
  return (
    <div class="charts">
      <div
        class="chart"
        role="img"
        aria-label="Milliseconds that calls took, over the last hour; the table below has the sums"
        data-lines={JSON.stringify({
          times,
          unit: "ms",
          series: [
            series("p50", ({ p50_ms }) => p50_ms),
            series("p95", ({ p95_ms }) => p95_ms),
            series("first byte p50", (part) => part.first_byte_p50_ms),
          ],
        })}
      />
      <div
        class="chart"
        role="img"
        aria-label="Share of calls that failed, over the last hour; the table below has the sums"
        data-lines={JSON.stringify({
          times,
          unit: "%",
          series: [
            series("failed", ({ calls, failed }) => calls === 0 ? null : (failed / calls) * 100),
          ],
        })}
      />
    </div>
  );
}
