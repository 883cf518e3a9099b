/**
 * One batch: how far it is, what became of its lines, and its files.
 *
 * @module
 */

import { type BatchRow, showBatch } from "../../admin/batches.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { noticeIn } from "../frame/notice.ts";
import { showPage } from "../frame/page.tsx";
import { SECURITY_HEADERS } from "../frame/security_headers.ts";
import { ActionButton } from "../parts/form.tsx";
import { Progress, Status, type Told } from "../parts/progress.tsx";
import { Facts, Moment, Table } from "../parts/table.tsx";
import type { ConsoleApp } from "./page_routes.ts";

/** Its files, as their links call them. */
const FILES = ["input", "output", "errors"] as const;

export function mountBatch(app: ConsoleApp): void {
  app.get("/batches/:batch_id", async (context) => {
    const batch = await batchOf(context as ConsoleContext);
    const path = `/console/batches/${encodeURIComponent(batch.id)}`;
    const isOpen = batch.ended_at === null;
    return showPage(
      context as ConsoleContext,
      {
        title: "Batch",
        notice: noticeIn(context.req.query("done")),
        scripts: isOpen ? ["progress.js"] : [],
      },
      <>
        {isOpen && (
          <Progress path={`${path}/progress`} name="Lines answered" told={toldOf(batch)} />
        )}
        <BatchFacts batch={batch} />
        {batch.errors.length > 0 && (
          <Table
            rows={batch.errors}
            caption="What is wrong with its file"
            none=""
            columns={[
              {
                header: "Line",
                value: ({ line }) =>
                  line ?? "–",
                kind: "right",
              },
              {
                header: "Code",
                value: ({ code }) =>
                  code,
              },
              { header: "What", value: ({ message }) => message, kind: "wide" },
            ]}
          />
        )}
        <p>
          {FILES.filter((name) => fileOf(batch, name) !== null).map((name) => (
            <>
              <a class="button" href={`${path}/files/${name}`} download>{`Download ${name}`}</a>
              {" "}
            </>
          ))}
          {isOpen && (
            <ActionButton
              context={context as ConsoleContext}
              action={`${path}/cancel`}
              name="Cancel"
              ask={`Cancel batch ${batch.id}?`}
              isDangerous
            />
          )}
        </p>
      </>,
    );
  });

  app.get("/batches/:batch_id/progress", async (context) => {
    return context.json(toldOf(await batchOf(context as ConsoleContext)));
  });

  app.get("/batches/:batch_id/files/:name", async (context) => {
    const batch = await batchOf(context as ConsoleContext);
    const name = FILES.find((one) => one === context.req.param("name"));
    const file = name === undefined ? null : fileOf(batch, name);
    if (file === null) {
      throw new GatewayError("not_found", "This batch has no such file: its page has all of them");
    }
    return await context.env.api.file(batch.project, file, SECURITY_HEADERS);
  });
}

function batchOf({ req, var: { admin } }: ConsoleContext): Promise<BatchRow> {
  return admin.call(showBatch, { batch_id: req.param("batch_id")! });
}

function fileOf(batch: BatchRow, name: typeof FILES[number]): string | null {
  switch (name) {
    case "input":
      return batch.input_file;
    case "output":
      return batch.output_file;
    case "errors":
      return batch.error_file;
  }
}

function toldOf({ status, total, completed, failed, waiting, ended_at: ended }: BatchRow): Told {
  const done = completed + failed;
  const why = waiting === null ? "" : `; waits: ${waiting}`;
  return {
    percent: total === 0 ? null : Math.floor(100 * done / total),
    text: `${status.replace("_", " ")}: ${done} of ${total || "?"} lines, ${failed} failed${why}`,
    ended: ended !== null,
  };
}

function BatchFacts({ batch }: { readonly batch: BatchRow }) {
  const count = (value: number) => value.toLocaleString("en");
  return (
    <Facts
      facts={[
        ["Batch", <code>{batch.id}</code>],
        ["Status", <Status status={batch.status} />],
        ["Waits", batch.waiting],
        ["Project", <a href={`/console/projects/${batch.project}`}>{batch.project}</a>],
        ["Key", <code>{batch.key}</code>],
        ["Asks", batch.endpoint],
        ["Model", batch.model],
        ["Lines", count(batch.total)],
        ["Completed", count(batch.completed)],
        ["Failed", count(batch.failed)],
        ["Input tokens", count(batch.input_tokens)],
        ["Output tokens", count(batch.output_tokens)],
        ["Created", <Moment at={batch.created_at} />],
        ["Unasked lines expire", <Moment at={batch.expires_at} />],
        ["Ended", batch.ended_at && <Moment at={batch.ended_at} />],
      ]}
    />
  );
}
