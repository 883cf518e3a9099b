/**
 * The video queue on the page of films: what waits where, and the buttons that pause and resume it.
 *
 * @module
 */

import { pauseVideos, type QueueRow, resumeVideos } from "../../admin/video_queue.ts";
import type { ConsoleContext, FormFields } from "../frame/console_env.ts";
import { maySend } from "../frame/doors.ts";
import { ActionButton, Field, Form } from "../parts/form.tsx";
import { Moment, State, Table } from "../parts/table.tsx";
import { addAction, type ConsoleApp, given } from "./page_routes.ts";

const PAUSE = "/console/video-queue/pause";
const RESUME = "/console/video-queue/resume";

export function mountVideoQueue(app: ConsoleApp): void {
  addAction(app, {
    path: "/video-queue/pause",
    operation: pauseVideos,
    input: ({ reason, ...fields }) => ({ ...partOf(fields), ...given("reason", reason) }),
    next: () => "/videos",
    done: "queue_paused",
  });
  addAction(app, {
    path: "/video-queue/resume",
    operation: resumeVideos,
    input: partOf,
    next: () => "/videos",
    done: "queue_resumed",
  });
}

/** A form says all of it as a kind and an id, `queue` alone for everything. */
function partOf({ part, id }: FormFields): object {
  return part === "model" || part === "route" ? given(part, id) : {};
}

export function VideoQueue(
  { context, queue }: { readonly context: ConsoleContext; readonly queue: QueueRow },
) {
  const { pauses, routes } = queue;
  return (
    <>
      {pauses.map(({ part, id, reason, since }) => (
        <p class="notice warn">
          {id === null ? "The queue is paused since " : `Films of ${part} ${id} are paused since `}
          <Moment at={since} />
          {reason === null ? ". " : `: ${reason} `}
          <ActionButton context={context} action={RESUME} name="Resume">
            <input type="hidden" name="part" value={part} />
            <input type="hidden" name="id" value={id ?? ""} />
          </ActionButton>
        </p>
      ))}
      {routes.length > 0 && (
        <Table
          rows={routes}
          caption="The queue by route"
          none=""
          columns={[
            { header: "Route", value: ({ route }) => route },
            { header: "Model", value: ({ model }) => model ?? "–" },
            { header: "Waiting", value: ({ waiting }) => waiting, kind: "right" },
            { header: "Under way", value: ({ under_way }) => under_way, kind: "right" },
            {
              header: "State",
              value: ({ paused }) =>
                paused ? <State kind="warn">paused</State> : <State kind="good">begins</State>,
            },
          ]}
        />
      )}
      {routes.length > 0 && maySend(context.var.rights, PAUSE) && (
        <details>
          <summary>Pause the queue</summary>
          <PauseForm context={context} part="queue" ids={[]} />
          <PauseForm
            context={context}
            part="model"
            ids={[...new Set(routes.flatMap(({ model }) => model ?? []))]}
          />
          <PauseForm context={context} part="route" ids={routes.map(({ route }) => route)} />
        </details>
      )}
    </>
  );
}

function PauseForm(
  { context, part, ids }: {
    readonly context: ConsoleContext;
    readonly part: "queue" | "model" | "route";
    readonly ids: readonly string[];
  },
) {
  return (
    <Form context={context} action={PAUSE} submit={`Pause ${PAUSE_WORDS[part]}`}>
      <input type="hidden" name="part" value={part} />
      {part !== "queue" && (
        <label>
          {part === "model" ? "Model" : "Route"}
          <select name="id">{ids.map((id) => <option value={id}>{id}</option>)}</select>
        </label>
      )}
      <Field name="reason" label="Reason, if you like" />
    </Form>
  );
}

const PAUSE_WORDS = { queue: "all films", model: "this model", route: "this route" } as const;
