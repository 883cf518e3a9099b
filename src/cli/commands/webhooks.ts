/**
 * `tollgate webhooks …`
 *
 * @module
 */

import type { Command } from "commander";
import type { ShownWebhook } from "../../admin/base/shown_webhook.ts";
import { listWebhooks, resendWebhook } from "../../admin/webhooks.ts";
import type { Cli } from "../base/cli.ts";
import { type Column, timeText } from "../base/table.ts";
import { lastTryText, webhookFacts } from "../base/webhook_facts.ts";
import { factsCommand, listCommand } from "../operations/operation_command.ts";

export function webhooks(cli: Cli): readonly Command[] {
  return [
    listCommand(cli, {
      operation: listWebhooks,
      description: "List messages to callback URLs, newest first: whether they arrived, and when " +
        "they are tried next. --json has each try. Those done a week ago are forgotten.",
      example: "webhooks list --project shop --state given_up",
      most: 50,
      columns: () => WEBHOOK_COLUMNS,
      none: "No such webhooks",
    }),
    factsCommand(cli, {
      operation: resendWebhook,
      description: "Send a message now, whether it waits, has arrived or was given up: under its " +
        "id, so that who had it knows it. If it does not arrive, it is tried again as a new one.",
      example: "webhooks resend evt_3pcjynd2rjt5pq5s5dg3mbfxpm",
      facts: webhookFacts,
    }),
  ];
}

/** The columns of `webhooks list`. */
const WEBHOOK_COLUMNS: readonly Column<ShownWebhook>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "PROJECT", value: ({ project }) => project },
  { header: "VIDEO", value: ({ video }) => video },
  { header: "EVENT", value: ({ event }) => event },
  { header: "STATE", value: ({ state }) => state },
  { header: "TRIES", value: ({ tries }) => tries, align: "right" },
  { header: "LEFT", value: ({ tries_left }) => tries_left, align: "right" },
  { header: "NEXT", value: ({ next_try_at: at }) => at === null ? "-" : timeText(at) },
  { header: "LAST TRY", value: (row) => lastTryText(row) ?? "-" },
  { header: "RECEIVER", value: ({ receiver }) => receiver },
];
