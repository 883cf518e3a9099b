/**
 * What providers answered when they were last asked something free.
 *
 * @module
 */

import { type ProviderTestRow, testProviders } from "../../admin/catalogue/providers.ts";
import { showJob } from "../../admin/jobs/jobs.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { showPage } from "../frame/page.tsx";
import { ExportLinks } from "../parts/export_links.tsx";
import { ActionButton } from "../parts/form.tsx";
import { cancelHere, JobProgress, lastJob, NotCompleted, toldOf } from "../parts/job_progress.tsx";
import { Moment, State, Table } from "../parts/table.tsx";
import { type ConsoleApp, fieldsOf, given } from "./page_routes.ts";

const TESTS = "/console/providers/tests";

export function mountProviderTests(app: ConsoleApp): void {
  app.get("/providers/tests", async (plain) => {
    const context = plain as ConsoleContext;
    const job = await lastJob(context, testProviders);
    const isOpen = job !== undefined && !toldOf(job).ended;
    return showPage(
      context,
      { title: "Providers: test", scripts: isOpen ? ["progress.js"] : [] },
      <>
        <p class="sheet">
          A test asks each provider for its list of models, which costs nothing.
        </p>
        {isOpen
          ? <JobProgress context={context} page={TESTS} name="The test" job={job} />
          : <ActionButton context={context} action={`${TESTS}/run`} name="Test all" />}
        {job !== undefined && !isOpen && (
          job.state === "completed" && job.result !== null
            ? <Results rows={job.result as readonly ProviderTestRow[]} at={job.ended_at} />
            : <NotCompleted job={job} what="test" />
        )}
        <p>
          <a class="button" href="/console/providers">All providers</a>
        </p>
      </>,
    );
  });

  app.get("/providers/tests/progress/:job_id", async (context) => {
    const job_id = context.req.param("job_id");
    return context.json(toldOf(await context.var.admin.call(showJob, { job_id })));
  });

  app.post("/providers/tests/run", async (plain) => {
    const context = plain as ConsoleContext;
    await context.var.begin(testProviders, given("provider", fieldsOf(context).provider));
    return context.redirect(TESTS, 303);
  });

  app.post("/providers/tests/cancel", (context) => cancelHere(context as ConsoleContext, TESTS));
}

function Results(
  { rows, at }: { readonly rows: readonly ProviderTestRow[]; readonly at: string | null },
) {
  return (
    <>
      <p>
        Asked <Moment at={at} />
      </p>
      <Table
        rows={rows}
        caption="What each answered"
        none="No providers to test."
        columns={[
          { header: "Provider", value: ({ provider }) => provider },
          {
            header: "Answer",
            value: ({ ok }) => <State kind={ok ? "good" : "bad"}>{ok ? "well" : "not well"}</State>,
          },
          { header: "ms", value: ({ milliseconds }) => Math.round(milliseconds), kind: "right" },
          { header: "Detail", value: ({ detail }) => detail, kind: "wide" },
        ]}
      />
      <ExportLinks path="/console/export/tests" query={{}} what="What each answered last" />
    </>
  );
}
