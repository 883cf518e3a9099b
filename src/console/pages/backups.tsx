/**
 * Backups: those that are there, when the next one is due, and one made now as a job.
 *
 * @module
 */

import { createBackup, listBackups } from "../../admin/backups.ts";
import type { BackupReport } from "../../admin/base/backup_report.ts";
import { mayRun } from "../../admin/base/run_operation.ts";
import { showJob } from "../../admin/jobs/jobs.ts";
import { showSystem } from "../../admin/system.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { showPage } from "../frame/page.tsx";
import { ActionButton } from "../parts/form.tsx";
import { cancelHere, JobProgress, lastJob, NotCompleted, toldOf } from "../parts/job_progress.tsx";
import { Facts, Moment, Pager, State, Table } from "../parts/table.tsx";
import { type ConsoleApp, given } from "./page_routes.ts";

const PAGE = "/console/backups";

export function mountBackups(app: ConsoleApp): void {
  app.get("/backups", async (plain) => {
    const context = plain as ConsoleContext;
    const { admin, rights } = context.var;
    const { after } = context.req.query();
    const page = await admin.call(listBackups, given("after", after));
    const schedule = mayRun(showSystem, rights)
      ? (await admin.call(showSystem, {})).backup_schedule
      : undefined;
    const job = mayRun(createBackup, rights) ? await lastJob(context, createBackup) : undefined;
    const isOpen = job !== undefined && !toldOf(job).ended;
    return showPage(
      context,
      { title: "Backups", scripts: isOpen ? ["progress.js"] : [] },
      <>
        {schedule === null && (
          <p class="sheet">
            None are made by themselves: start the server with{" "}
            <code>--backup-every 1d --backup-keep 14</code>.
          </p>
        )}
        {schedule && (
          <Facts
            facts={[
              ["Made in", <code>{schedule.folder}</code>],
              ["Next is due", <Moment at={schedule.next_at} />],
              ["The last one failed", schedule.trouble],
            ]}
          />
        )}
        {isOpen
          ? <JobProgress context={context} page={PAGE} name="The backup" job={job} />
          : <ActionButton context={context} action={`${PAGE}/make`} name="Make one now" />}
        {job !== undefined && !isOpen && (
          job.state === "completed" && job.result !== null
            ? <Made report={job.result as BackupReport} at={job.ended_at} />
            : <NotCompleted job={job} what="backup" />
        )}
        <Table
          rows={page.data}
          caption="Made by schedule, newest first"
          none="No backup by schedule is there."
          columns={[
            { header: "Made", value: ({ at }) => <Moment at={at} /> },
            { header: "File", value: ({ id }) => <code>{id}</code>, kind: "wide" },
            { header: "Bytes", value: ({ bytes }) => bytes.toLocaleString("en"), kind: "right" },
            {
              header: "Books",
              value: ({ good }) => (
                <State kind={good ? "good" : "bad"}>{good ? "add up" : "do not add up"}</State>
              ),
            },
          ]}
        />
        <Pager path={PAGE} page={page} query={{ after }} />
        <h2>Verify, restore</h2>
        <p>
          On the gateway's machine <code>tollgate backup verify FILE</code>{" "}
          reads one from its first byte to its last. To go back to it, stop the server, then run
          {" "}
          <code>tollgate backup restore FILE</code>: the database that is there is kept under
          another name.
        </p>
      </>,
    );
  });

  app.get("/backups/progress/:job_id", async (context) => {
    const job_id = context.req.param("job_id");
    return context.json(toldOf(await context.var.admin.call(showJob, { job_id })));
  });

  app.post("/backups/make", async (context) => {
    await context.var.begin(createBackup, {});
    return context.redirect(PAGE, 303);
  });

  app.post("/backups/cancel", (context) => cancelHere(context as ConsoleContext, PAGE));
}

function Made({ report, at }: { readonly report: BackupReport; readonly at: string | null }) {
  const { file, bytes, sha256, calls, ledger_rows: rows, differences, omitted } = report;
  const count = differences.length + omitted;
  return (
    <Facts
      facts={[
        ["Made last", <Moment at={at} />],
        ["File", <code>{file}</code>],
        ["Bytes", bytes.toLocaleString("en")],
        ["SHA-256", <code>{sha256}</code>],
        ["Calls", calls.toLocaleString("en")],
        ["Ledger rows", rows.toLocaleString("en")],
        [
          "Books",
          <State kind={count === 0 ? "good" : "bad"}>
            {count === 0 ? "add up" : `${count} differences`}
          </State>,
        ],
      ]}
    />
  );
}
