/**
 * One video task: its film, how far it is, and everything that is known of it.
 *
 * @module
 */

import { receiverOf } from "../../admin/base/shown_webhook.ts";
import { showCall } from "../../admin/calls.ts";
import type { CallAnswer } from "../../admin/shown_call.ts";
import { moveVideo } from "../../admin/video_queue.ts";
import { retryVideo, showVideo, type VideoDetails } from "../../admin/videos.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { noticeIn, saying } from "../frame/notice.ts";
import { showPage } from "../frame/page.tsx";
import { SECURITY_HEADERS } from "../frame/security_headers.ts";
import { ActionButton } from "../parts/form.tsx";
import { Progress, Status, type Told } from "../parts/progress.tsx";
import { Facts, Moment, Table } from "../parts/table.tsx";
import { addAction, type ConsoleApp } from "./page_routes.ts";
import { mountVideoWebhook, VideoWebhook } from "./video_webhook.tsx";

export function mountVideo(app: ConsoleApp): void {
  app.get("/videos/:video_id", async (context) => {
    const task = await videoOf(context as ConsoleContext);
    const call = await callOf(context as ConsoleContext, task.request_id);
    const path = `/console/videos/${encodeURIComponent(task.id)}`;
    const isOpen = isOpenTask(task);
    return showPage(
      context as ConsoleContext,
      {
        title: "Video",
        notice: noticeIn(context.req.query("done")),
        scripts: isOpen ? ["progress.js"] : [],
      },
      <>
        {isOpen && (
          <Progress path={`${path}/progress`} name="Progress of the film" told={toldOf(task)} />
        )}
        {task.paused && (
          <p class="notice warn">
            {task.paused.id === null
              ? "The queue is paused since "
              : `Films of ${task.paused.part} ${task.paused.id} are paused since `}
            <Moment at={task.paused.since} />
            {task.paused.reason === null ? "." : `: ${task.paused.reason}`}
          </p>
        )}
        <Film task={task} path={path} />
        <TaskFacts task={task} />
        <h2>Prompt</h2>
        <pre class="said" tabindex={0}>{task.prompt}</pre>
        <h2>Attempts</h2>
        <Attempts task={task} call={call} />
        <VideoWebhook context={context as ConsoleContext} task={task} path={path} />
        <h2>Money</h2>
        <Money task={task} call={call} />
        <p>
          {task.status === "queued" && task.queue &&
            MOVES.map(([to, name]) => (
              <>
                <ActionButton
                  context={context as ConsoleContext}
                  action={`${path}/move`}
                  name={name}
                >
                  <input type="hidden" name="to" value={to} />
                </ActionButton>
                {" "}
              </>
            ))}
          {task.status === "failed" && (
            <ActionButton
              context={context as ConsoleContext}
              action={`${path}/retry`}
              name="Order again"
              ask="Order this film again? Its project pays for it if it is made."
            />
          )}{" "}
          <ActionButton
            context={context as ConsoleContext}
            action={`${path}/delete`}
            name="Delete"
            ask={`Delete task ${task.id} and its film?`}
            isDangerous
          />
        </p>
      </>,
    );
  });

  app.get("/videos/:video_id/progress", async (context) => {
    return context.json(toldOf(await videoOf(context as ConsoleContext)));
  });

  app.post("/videos/:video_id/retry", async (context) => {
    const { id } = await context.var.admin.call(retryVideo, {
      video_id: context.req.param("video_id"),
    });
    return context.redirect(saying(`/console/videos/${encodeURIComponent(id)}`, "retried"), 303);
  });

  addAction(app, {
    path: "/videos/:video_id/move",
    operation: moveVideo,
    input: ({ video_id, to }) => ({ video_id, to }),
    next: ({ video_id }) => `/videos/${encodeURIComponent(video_id!)}`,
    done: "moved",
  });

  mountVideoWebhook(app);

  for (const [name, variant] of [["film", "video"], ["thumbnail", "thumbnail"]] as const) {
    app.get(`/videos/:video_id/${name}`, async (context) => {
      const { id } = await videoOf(context as ConsoleContext);
      return await context.env.api.film(id, variant, SECURITY_HEADERS);
    });
  }
}

/** Among the films of its project that wait for the same route. */
const MOVES = [
  ["front", "To the front"],
  ["up", "Up"],
  ["down", "Down"],
  ["back", "To the back"],
] as const;

/** What whoever is signed in may see of a task. */
function videoOf({ req, var: { admin } }: ConsoleContext): Promise<VideoDetails> {
  return admin.call(showVideo, { video_id: req.param("video_id")! });
}

/** Its call; `undefined` where that is in an archive that is not there. */
async function callOf(
  { var: { admin } }: ConsoleContext,
  requestId: string,
): Promise<CallAnswer | undefined> {
  try {
    return await admin.call(showCall, { request_id: requestId });
  } catch (error) {
    if (error instanceof GatewayError && error.code === "not_found") return undefined;
    throw error;
  }
}

function isOpenTask({ status }: VideoDetails): boolean {
  return status === "queued" || status === "in_progress";
}

function toldOf(task: VideoDetails): Told {
  const { status, progress, queue, next_try_at: nextTry } = task;
  return { percent: Math.round(progress), text: text(), ended: !isOpenTask(task) };

  function text(): string {
    if (status === "in_progress") {
      const rests = nextTry === null ? "" : `, tried again at ${clockOf(nextTry)}`;
      return `In progress, ${Math.round(progress)} %${rests}`;
    }
    if (status !== "queued") return status;
    if (queue === null || queue === undefined) return "Queued";
    const { position, waiting, starts_at: at } = queue;
    const begins = at === null ? "" : `, begins about ${clockOf(at)}`;
    const rests = nextTry === null ? "" : `; its route is asked again at ${clockOf(nextTry)}`;
    return `Number ${position} of ${waiting} that wait for ${task.route}${begins}${rests}`;
  }
}

function clockOf(at: string): string {
  return `${at.slice(11, 19)} UTC`;
}

function Film({ task, path }: { readonly task: VideoDetails; readonly path: string }) {
  const { file, has_thumbnail: hasThumbnail } = task;
  if (file === null) return null;
  if (file.removed_at !== null) {
    return <p class="sheet quiet">The film was removed: its time was over, or room was needed.</p>;
  }
  const [width, height] = task.size.split("x");
  return (
    <p>
      <video
        controls
        // A page is loaded only when the metadata is: where a picture stands for the film, it waits.
        preload={hasThumbnail === true ? "none" : "metadata"}
        src={`${path}/film`}
        width={width}
        height={height}
        aria-label={`The film of task ${task.id}`}
        {...hasThumbnail === true && { poster: `${path}/thumbnail` }}
      />
      <br />
      <a class="button" href={`${path}/film`} download={`${task.id}.mp4`}>Download</a>
    </p>
  );
}

function TaskFacts({ task }: { readonly task: VideoDetails }) {
  const { fields = {}, wishes = {}, file } = task;
  return (
    <Facts
      facts={[
        ["Task", <code>{task.id}</code>],
        ["Status", <Status status={task.status} />],
        ["Why", task.error === null ? null : `${task.error.code}: ${task.error.message}`],
        ["Project", <a href={`/console/projects/${task.project}`}>{task.project}</a>],
        ["Key", <code>{task.key}</code>],
        ["Model", task.model],
        ["Route", `${task.route} (${task.provider})`],
        ["Film", `${task.size}, ${task.seconds} s`],
        ["Image given", task.has_reference === true ? "yes" : null],
        ["Wished of its source", jsonOf(wishes)],
        ["Further fields", jsonOf(fields)],
        ["Told when it ends", task.callback_url ? receiverOf(task.callback_url) : null],
        ["Created", <Moment at={task.created_at} />],
        ["Started", task.started_at && <Moment at={task.started_at} />],
        ["Completed", task.completed_at && <Moment at={task.completed_at} />],
        ["Film goes", task.expires_at && <Moment at={task.expires_at} />],
        ["File", file?.path ?? null],
        ["Size", file && `${file.bytes.toLocaleString("en")} bytes`],
        ["SHA-256", file && <code>{file.sha256}</code>],
        ["Request", <code>{task.request_id}</code>],
      ]}
    />
  );
}

function jsonOf(fields: object): string | null {
  return Object.keys(fields).length === 0 ? null : JSON.stringify(fields);
}

function Attempts(
  { task, call }: { readonly task: VideoDetails; readonly call: CallAnswer | undefined },
) {
  const { attempts, failures, restarts, last_error: last } = task;
  return (
    <>
      <p>
        {`${attempts} begun, ${failures} failed, ${restarts} cut by a restart of the gateway.`}
      </p>
      {last !== null && (
        <p class="notice bad">
          {`Last error, of ${last.route}, ${clockOf(last.at)}: ${last.message}`}
        </p>
      )}
      {(call?.failed_attempts ?? []).length > 0 && (
        <Table
          rows={call?.failed_attempts ?? []}
          caption="Routes that were tried before it was accepted"
          none=""
          columns={[
            { header: "Route", value: ({ route }) => route },
            { header: "Failure", value: ({ failure, status }) => `${failure} ${status ?? ""}` },
            { header: "ms", value: ({ milliseconds }) => milliseconds, kind: "right" },
            { header: "It said", value: ({ message }) => message, kind: "wide" },
          ]}
        />
      )}
    </>
  );
}

function Money(
  { task, call }: { readonly task: VideoDetails; readonly call: CallAnswer | undefined },
) {
  const amount = (value: string | null | undefined) =>
    value === null || value === undefined ? null : `${value} ${task.currency}`;
  return (
    <Facts
      facts={[
        ["Held", amount(call?.held)],
        [
          "Price",
          amount(task.sale) ?? (isOpenTask(task) ? "not known until it has ended" : "nothing"),
        ],
        ["Charged", amount(call?.charged)],
        ["Cost", amount(task.cost)],
        ["Price version", call && String(call.price_version)],
        ["State of the call", call?.state ?? "it is in an archive that cannot be read"],
      ]}
    />
  );
}
