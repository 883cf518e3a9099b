/**
 * Messages to callback URLs, as commands print them.
 *
 * @module
 */

import type { ShownWebhook } from "../../admin/base/shown_webhook.ts";
import type { Facts } from "./table.ts";

/** A message, fact by fact, and each of its tries. */
export function webhookFacts(row: ShownWebhook): Facts {
  return [
    ["id", row.id],
    ["state", row.state],
    ["project", row.project],
    ["video", row.video],
    ["event", row.event],
    ["receiver", row.receiver],
    ["created", row.created_at],
    ["tries", `${row.tries}, ${row.tries_left} left`],
    ["next try", row.next_try_at],
    ...row.last_tries.map((one): Facts[number] => ["tried", tryText(one)]),
  ];
}

/** In one line, such as `given_up after 9 tries, evt_…: 2026-11-22T10:00:00.000Z answered 500 in 12 ms`. */
export function webhookText(row: ShownWebhook): string {
  const { state, tries, id, next_try_at: next } = row;
  const last = lastTryText(row);
  const then = next === null ? "" : `, next try ${next}`;
  return `${state} after ${tries} ${tries === 1 ? "try" : "tries"}, ${id}${
    last === undefined ? "" : `: ${last}`
  }${then}`;
}

/** What became of its last try; `undefined` where nobody knows. */
export function lastTryText({ last_tries: tries }: ShownWebhook): string | undefined {
  const last = tries.at(-1);
  return last && tryText(last);
}

function tryText({ at, milliseconds, status, error }: ShownWebhook["last_tries"][number]): string {
  const became = status === null ? error ?? "no answer" : `answered ${status}`;
  return `${at} ${became} in ${milliseconds} ms`;
}
