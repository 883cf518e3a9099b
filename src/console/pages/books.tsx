/**
 * Who changed what.
 *
 * @module
 */

import type { AuditRowJson } from "../../admin/audit.ts";
import { listAudit } from "../../admin/operations.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { showPage } from "../frame/page.tsx";
import { Moment, Pager, Table } from "../parts/table.tsx";
import { type ConsoleApp, given } from "./page_routes.ts";

export function mountAudit(app: ConsoleApp): void {
  app.get("/audit", async (context) => {
    const { after, subject } = context.req.query();
    const query = { ...given("after", after), ...given("subject", subject) };
    const page = await context.var.admin.call(listAudit, query);
    return showPage(
      context as ConsoleContext,
      { title: "Audit log" },
      <>
        <Table
          rows={page.data}
          caption="Who changed what, newest first"
          none="Nothing was changed yet."
          columns={[
            { header: "#", value: ({ number }) => number, kind: "right" },
            { header: "When", value: ({ at }) => <Moment at={at} /> },
            {
              header: "Who",
              value: ({ channel, user, address }) =>
                [channel, user, address].filter(Boolean).join(" "),
            },
            { header: "What", value: ({ operation }) => operation },
            { header: "Of", value: (row) => row.subject },
            {
              header: "Changed",
              value: (row) => <Change row={row} />,
              kind: "wide",
            },
          ]}
        />
        <Pager path="/console/audit" page={page} query={{ after, subject }} />
      </>,
    );
  });
}

/** Characters of a change that are shown unasked: a catalogue's may be as long as the catalogue. */
const MOST_SHOWN = 200;

/** What was changed; a long one by its names, to be opened. */
function Change({ row: { before, after } }: { readonly row: AuditRowJson }) {
  const whole = <code>{[before, after].map((side) => JSON.stringify(side ?? {})).join(" → ")}
  </code>;
  const text = JSON.stringify([before, after]);
  if (text.length <= MOST_SHOWN) return whole;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const [first, second, ...others] = names;
  return (
    <details>
      <summary>
        {[first, second].filter((name) => name !== undefined).join(", ")}
        {others.length > 0 && ` and ${others.length} more`}
      </summary>
      {whole}
    </details>
  );
}
