/**
 * The process: what it was started with, and what doctor has to say of it and around it.
 *
 * @module
 */

import type { Finding } from "../../admin/base/doctor_finding.ts";
import { MOST_ROWS } from "../../admin/base/page.ts";
import { mayRun } from "../../admin/base/run_operation.ts";
import { showJob } from "../../admin/jobs/jobs.ts";
import { diagnoseServer, showSettings } from "../../admin/process.ts";
import { listNodes } from "../../admin/nodes.ts";
import { showSystem } from "../../admin/system.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { NoticeBox, showPage } from "../frame/page.tsx";
import { ExportLinks } from "../parts/export_links.tsx";
import { ActionButton } from "../parts/form.tsx";
import { cancelHere, JobProgress, lastJob, NotCompleted, toldOf } from "../parts/job_progress.tsx";
import { Facts, Moment, State, Table } from "../parts/table.tsx";
import { NodesSection } from "./nodes.tsx";
import type { ConsoleApp } from "./page_routes.ts";

export function mountSystem(app: ConsoleApp): void {
  app.get("/system", async (context) => {
    const { admin, rights } = context.var;
    const system = await admin.call(showSystem, {});
    const { database_server: server = null } = system;
    const nodes = server === null ? [] : (await admin.call(listNodes, { limit: MOST_ROWS })).data;
    const { settings } = mayRun(showSettings, rights)
      ? await admin.call(showSettings, {})
      : { settings: [] };
    return showPage(
      context as ConsoleContext,
      { title: "System" },
      <>
        <Facts
          facts={[
            ["Version", system.version],
            ["Runtime", `Deno ${system.runtime}`],
            ["Process", String(system.pid)],
            ["Running since", <Moment at={system.started_at} />],
            ["Data dir", <code>{system.data_dir}</code>],
            ["Database", `${system.storage.engine}, ${system.storage.bytes} bytes`],
            ["Schema", String(system.storage.schema_version)],
          ]}
        />
        {server !== null && <NodesSection server={server} nodes={nodes} />}
        <h2>Secrets</h2>
        <Table
          rows={system.secrets}
          caption="References that providers have; never a value"
          none="No provider needs a secret."
          columns={[
            { header: "Provider", value: ({ provider }) => provider },
            { header: "Reference", value: ({ reference }) => <code>{reference}</code> },
            {
              header: "State",
              value: ({ readable }) => (
                <State kind={readable ? "good" : "bad"}>{readable ? "there" : "missing"}</State>
              ),
            },
            { header: "What to do", value: ({ warning }) => warning ?? "", kind: "wide" },
          ]}
        />
        <ExportLinks path="/console/export/secrets" query={{}} what="All of them" />
        <h2 id="settings">Settings</h2>
        <p class="sheet">
          They were read when the server started, and another value takes effect when it starts
          again: as a flag, a variable, or in the settings file. SIGHUP reads secret files and the
          catalogue's file again, without a new start.
        </p>
        <Table
          rows={settings}
          caption="What the server was started with; secrets are hidden"
          none="This process was started without settings of its own."
          columns={[
            { header: "Setting", value: ({ name }) => <code>{name}</code> },
            {
              header: "Value",
              value: ({ value }) => value === null ? "–" : String(value),
              kind: "wide",
            },
            { header: "From", value: ({ source }) => source, kind: "wide" },
          ]}
        />
        {settings.length > 0 && (
          <ExportLinks path="/console/export/settings" query={{}} what="All of them" />
        )}
      </>,
    );
  });
}

const DOCTOR = "/console/doctor";
const KINDS = { ok: "good", warning: "warn", problem: "bad" } as const;

export function mountDoctor(app: ConsoleApp): void {
  app.get("/doctor", async (plain) => {
    const context = plain as ConsoleContext;
    const job = await lastJob(context, diagnoseServer);
    const isOpen = job !== undefined && !toldOf(job).ended;
    return showPage(
      context,
      { title: "Doctor", scripts: isOpen ? ["progress.js"] : [] },
      <>
        <p class="sheet">
          Doctor looks at the data dir, its files and disk, the database and its books, secrets and
          upstreams, says what is wrong and what to do. It changes nothing, and calls go on.
        </p>
        {isOpen
          ? <JobProgress context={context} page={DOCTOR} name="The examination" job={job} />
          : <ActionButton context={context} action={`${DOCTOR}/run`} name="Look now" />}
        {job !== undefined && !isOpen && (
          job.state === "completed" && job.result !== null
            ? (
              <Findings
                {...job.result as { readonly findings: readonly Finding[] }}
                at={job.ended_at}
              />
            )
            : <NotCompleted job={job} what="examination" />
        )}
      </>,
    );
  });

  app.get("/doctor/progress/:job_id", async (context) => {
    const job_id = context.req.param("job_id");
    return context.json(toldOf(await context.var.admin.call(showJob, { job_id })));
  });

  app.post("/doctor/run", async (context) => {
    await context.var.begin(diagnoseServer, {});
    return context.redirect(DOCTOR, 303);
  });

  app.post("/doctor/cancel", (context) => cancelHere(context as ConsoleContext, DOCTOR));
}

/** What was found; what needs somebody comes first. */
function Findings(
  { findings, at }: { readonly findings: readonly Finding[]; readonly at: string | null },
) {
  const order = Object.keys(KINDS).reverse();
  const rows = findings.toSorted((one, other) =>
    order.indexOf(one.status) - order.indexOf(other.status)
  );
  const wrong = findings.filter(({ status }) => status !== "ok").length;
  return (
    <>
      {wrong === 0
        ? <NoticeBox kind="good" text="Everything is as it should be." />
        : <NoticeBox kind="warn" text={`${wrong} of ${findings.length} need somebody.`} />}
      <p>
        Looked at <Moment at={at} />
      </p>
      <Table
        rows={rows}
        caption="What doctor found"
        none="Nothing was looked at."
        columns={[
          { header: "Of", value: ({ check }) => check },
          {
            header: "State",
            value: ({ status }) => <State kind={KINDS[status]}>{status}</State>,
          },
          { header: "Found", value: ({ detail }) => detail, kind: "wide" },
          { header: "What to do", value: ({ remedy }) => remedy ?? "", kind: "wide" },
        ]}
      />
      <ExportLinks path="/console/export/doctor" query={{}} what="What was found last" />
    </>
  );
}
