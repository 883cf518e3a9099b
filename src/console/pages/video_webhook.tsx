/**
 * Who is told that a film has ended, whether it arrived, and a button that sends it again.
 *
 * @module
 */

import type { ShownWebhook } from "../../admin/base/shown_webhook.ts";
import type { VideoDetails } from "../../admin/videos.ts";
import { resendWebhook } from "../../admin/webhooks.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { ActionButton } from "../parts/form.tsx";
import { Facts, Moment, State, Table } from "../parts/table.tsx";
import { addAction, type ConsoleApp } from "./page_routes.ts";

/** The form's way. */
export function mountVideoWebhook(app: ConsoleApp): void {
  addAction(app, {
    path: "/videos/:video_id/resend",
    operation: resendWebhook,
    input: ({ webhook_id }) => ({ webhook_id }),
    next: ({ video_id }) => `/videos/${encodeURIComponent(video_id!)}`,
    done: "resent",
  });
}

/** Nothing where nobody is told. */
export function VideoWebhook(
  { context, task, path }: {
    readonly context: ConsoleContext;
    readonly task: VideoDetails;
    readonly path: string;
  },
) {
  const { callback_url: url, webhook } = task;
  if (url === null || url === undefined) return null;
  return (
    <>
      <h2>Webhook</h2>
      {webhook ? <Message webhook={webhook} /> : (
        <p class="sheet quiet">
          {task.status === "queued" || task.status === "in_progress"
            ? "It is sent when the film has ended."
            : "It was done more than a week ago: its tries are forgotten."}
        </p>
      )}
      {webhook && (
        <p>
          <ActionButton context={context} action={`${path}/resend`} name="Send again now">
            <input type="hidden" name="webhook_id" value={webhook.id} />
          </ActionButton>
        </p>
      )}
    </>
  );
}

const STATES = {
  waiting: ["warn", "waits for another try"],
  delivered: ["good", "delivered"],
  given_up: ["bad", "given up"],
} as const;

function Message({ webhook }: { readonly webhook: ShownWebhook }) {
  const { state, tries, tries_left: left, next_try_at: next, last_tries: last } = webhook;
  const [kind, words] = state === "waiting" && tries === 0
    ? ["warn", "is being sent"] as const
    : STATES[state];
  return (
    <>
      <Facts
        facts={[
          ["Message", <code>{webhook.id}</code>],
          ["Event", webhook.event],
          ["Receiver", webhook.receiver],
          ["State", <State kind={kind}>{words}</State>],
          ["Tries", state === "waiting" ? `${tries} made, ${left} left` : `${tries} made`],
          ["Next try", next && <Moment at={next} />],
        ]}
      />
      {last.length > 0 && (
        <Table
          rows={last.toReversed()}
          caption="Tries, newest first"
          none=""
          columns={[
            { header: "When", value: ({ at }) => <Moment at={at} /> },
            { header: "Answer", value: ({ status }) => status ?? "none", kind: "right" },
            { header: "ms", value: (one) => one.milliseconds, kind: "right" },
            { header: "Why it failed", value: ({ error }) => error ?? "", kind: "wide" },
          ]}
        />
      )}
    </>
  );
}
