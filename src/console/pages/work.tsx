/**
 * What is made: video tasks and batches.
 *
 * @module
 */

import { type BatchRow, cancelBatch, listBatches } from "../../admin/batches.ts";
import { showQueue } from "../../admin/video_queue.ts";
import { mayRun } from "../../admin/base/run_operation.ts";
import { deleteVideo, listVideos, type VideoRow } from "../../admin/videos.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { noticeIn } from "../frame/notice.ts";
import { showPage } from "../frame/page.tsx";
import { ActionButton } from "../parts/form.tsx";
import { Status } from "../parts/progress.tsx";
import { type Column, Moment, Pager, Table } from "../parts/table.tsx";
import { addAction, type ConsoleApp, given } from "./page_routes.ts";
import { mountVideoQueue, VideoQueue } from "./video_queue.tsx";

export function mountVideos(app: ConsoleApp): void {
  app.get("/videos", async (context) => {
    const { after, project } = context.req.query();
    const query = { ...given("after", after), ...given("project", project) };
    const { admin, rights } = context.var;
    const [page, queue] = await Promise.all([
      admin.call(listVideos, query),
      // It is of all projects: a member sees his films' places alone.
      mayRun(showQueue, rights) ? admin.call(showQueue, {}) : undefined,
    ]);
    const columns: readonly Column<VideoRow>[] = [
      {
        header: "Task",
        value: ({ id }) => (
          <a href={`/console/videos/${encodeURIComponent(id)}`}>
            <code>{id}</code>
          </a>
        ),
      },
      { header: "Project", value: (task) => task.project },
      { header: "Model", value: ({ model }) => model },
      {
        header: "Status",
        value: ({ status, progress }) => (
          <Status
            status={status}
            detail={status === "in_progress" ? ` ${Math.round(progress)} %` : ""}
          />
        ),
      },
      { header: "Film", value: ({ size, seconds }) => `${size}, ${seconds} s` },
      { header: "Price", value: ({ sale }) => sale ?? "–", kind: "right" },
      { header: "Created", value: ({ created_at: at }) => <Moment at={at} /> },
      { header: "Prompt", value: ({ prompt, error }) => error?.message ?? prompt, kind: "wide" },
      {
        header: "",
        value: ({ id }) => (
          <ActionButton
            context={context}
            action={`/console/videos/${encodeURIComponent(id)}/delete`}
            name="Delete"
            ask={`Delete task ${id} and its film?`}
            isDangerous
          />
        ),
      },
    ];
    return showPage(
      context as ConsoleContext,
      { title: "Videos", notice: noticeIn(context.req.query("done")) },
      <>
        {queue && <VideoQueue context={context as ConsoleContext} queue={queue} />}
        <Table
          rows={page.data}
          columns={columns}
          caption="Tasks, newest first"
          none="No films yet."
        />
        <Pager path="/console/videos" page={page} query={{ after, project }} />
      </>,
    );
  });
  mountVideoQueue(app);
  addAction(app, {
    path: "/videos/:video_id/delete",
    operation: deleteVideo,
    input: ({ video_id }) => ({ video_id }),
    next: () => "/videos",
    done: "deleted",
  });
}

export function mountBatches(app: ConsoleApp): void {
  app.get("/batches", async (context) => {
    const { after, project } = context.req.query();
    const query = { ...given("after", after), ...given("project", project) };
    const page = await context.var.admin.call(listBatches, query);
    const columns: readonly Column<BatchRow>[] = [
      {
        header: "Batch",
        value: ({ id }) => (
          <a href={`/console/batches/${encodeURIComponent(id)}`}>
            <code>{id}</code>
          </a>
        ),
      },
      { header: "Project", value: (batch) => batch.project },
      { header: "Asks", value: ({ endpoint }) => endpoint },
      {
        header: "Status",
        value: ({ status, waiting }) => (
          <Status status={status} detail={waiting === null ? "" : `: ${waiting}`} />
        ),
        kind: "wide",
      },
      {
        header: "Lines",
        value: ({ completed, failed, total }) => `${completed + failed} of ${total}`,
        kind: "right",
      },
      { header: "Failed", value: ({ failed }) => failed, kind: "right" },
      { header: "Created", value: ({ created_at: at }) => <Moment at={at} /> },
      {
        header: "",
        value: ({ id, ended_at: ended }) =>
          ended === null && (
            <ActionButton
              context={context}
              action={`/console/batches/${encodeURIComponent(id)}/cancel`}
              name="Cancel"
              ask={`Cancel batch ${id}?`}
              isDangerous
            />
          ),
      },
    ];
    return showPage(
      context as ConsoleContext,
      { title: "Batches", notice: noticeIn(context.req.query("done")) },
      <>
        <Table
          rows={page.data}
          columns={columns}
          caption="Batches, newest first"
          none="No batches yet."
        />
        <Pager path="/console/batches" page={page} query={{ after, project }} />
      </>,
    );
  });
  addAction(app, {
    path: "/batches/:batch_id/cancel",
    operation: cancelBatch,
    input: ({ batch_id }) => ({ batch_id }),
    next: () => "/batches",
    done: "cancelled",
  });
}
