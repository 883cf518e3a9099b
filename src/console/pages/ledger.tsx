/**
 * The ledger: whether it adds up. Its check is a job, which goes on when nobody looks.
 *
 * @module
 */

import type { LedgerFindings } from "../../admin/base/findings.ts";
import { type JobView, showJob } from "../../admin/jobs/jobs.ts";
import { verifyLedger } from "../../admin/ledger_check/check_ledger.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { NoticeBox, showPage } from "../frame/page.tsx";
import { ExportLinks } from "../parts/export_links.tsx";
import { ActionButton } from "../parts/form.tsx";
import { cancelHere, JobProgress, lastJob, NotCompleted, toldOf } from "../parts/job_progress.tsx";
import { Facts, Moment, Table } from "../parts/table.tsx";
import type { ConsoleApp } from "./page_routes.ts";

const PAGE = "/console/ledger";

export function mountLedger(app: ConsoleApp): void {
  app.get("/ledger", async (context) => {
    const job = await lastJob(context as ConsoleContext, verifyLedger);
    const isOpen = job !== undefined && toldOf(job).ended === false;
    return showPage(
      context as ConsoleContext,
      { title: "Ledger", scripts: isOpen ? ["progress.js"] : [] },
      <>
        <p class="sheet">
          Verifying re-adds every balance and every sum, reprices every call and looks for altered
          rows, while the gateway goes on.
        </p>
        {isOpen
          ? (
            <JobProgress
              context={context as ConsoleContext}
              page={PAGE}
              name="Rows read"
              job={job}
            />
          )
          : (
            <ActionButton
              context={context as ConsoleContext}
              action={`${PAGE}/verify`}
              name="Verify now"
            />
          )}
        {job !== undefined && !isOpen && <Outcome job={job} />}
      </>,
    );
  });

  app.get("/ledger/progress/:job_id", async (context) => {
    const job_id = context.req.param("job_id");
    return context.json(toldOf(await context.var.admin.call(showJob, { job_id })));
  });

  app.post("/ledger/verify", async (context) => {
    await context.var.begin(verifyLedger, {});
    return context.redirect(PAGE, 303);
  });

  app.post("/ledger/cancel", (context) => cancelHere(context as ConsoleContext, PAGE));
}

/** What came of a check that has ended. */
function Outcome({ job }: { readonly job: JobView }) {
  const { state, result, started_by: by, ended_at: at } = job;
  if (state !== "completed" || result === null) return <NotCompleted job={job} what="check" />;
  const { differences, omitted, checked } = result as LedgerFindings;
  return (
    <>
      {differences.length === 0
        ? <NoticeBox kind="good" text="No differences: everything adds up." />
        : (
          <NoticeBox
            kind="bad"
            text={`${
              differences.length + omitted
            } differences: restore a backup, or find out who wrote to the database`}
          />
        )}
      <Facts
        facts={[
          ["Verified", <Moment at={at} />],
          ["Started by", by],
          ...Object.entries(checked).map(([name, count]) =>
            [name.replaceAll("_", " "), String(count)] as const
          ),
        ]}
      />
      {differences.length > 0 && (
        <Table
          rows={differences}
          caption="What differs, in units of 1e-8"
          none=""
          columns={[
            { header: "Table", value: ({ table }) => table },
            { header: "Row", value: ({ id }) => id },
            { header: "Column", value: ({ column }) => column ?? "?" },
            { header: "Expected", value: ({ expected }) => expected ?? "–", kind: "right" },
            { header: "Found", value: ({ found }) => found ?? "–", kind: "right" },
            { header: "Detail", value: ({ detail }) => detail, kind: "wide" },
          ]}
        />
      )}
      <ExportLinks
        path="/console/export/ledger"
        query={{}}
        what="The differences that were found last"
      />
    </>
  );
}
