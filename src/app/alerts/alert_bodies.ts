/**
 * Alerts as they are sent: signed JSON in the shape of our webhooks, or Slack's.
 *
 * @module
 */

import type { AlertForm } from "../../config/alert_fields.ts";
import type { AlertNotice } from "../../domain/alert.ts";

/** One message of one or more notices. */
export interface AlertMessage {
  /** `evt_` and 26 characters of base32: the same on every try. */
  readonly id: string;
  readonly type: "alert.raised" | "alert.resolved" | "alert.summary" | "alert.test";
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly notices: readonly AlertNotice[];
  /** Notices that are not in it, as there are too many. */
  readonly more: number;
}

const MOST_LINES = 20;

/** @param gateway Its address, for links. */
export function alertBody(form: AlertForm, message: AlertMessage, gateway: string): string {
  return JSON.stringify(
    form === "slack" ? { text: slackText(message, gateway) } : webhookEvent(message, gateway),
  );
}

function webhookEvent({ id, type, createdAt, notices, more }: AlertMessage, gateway: string) {
  return {
    id,
    object: "event",
    created_at: Math.floor(createdAt / 1_000),
    type,
    data: {
      gateway,
      alerts: notices.map((notice) => ({
        state: notice.type,
        cause: notice.trouble.cause,
        id: notice.trouble.id,
        severity: notice.trouble.severity,
        text: notice.trouble.text,
        help: notice.trouble.help,
        link: gateway + notice.trouble.path,
        project: notice.trouble.project ?? null,
        route: notice.trouble.route ?? null,
        since: new Date(notice.since).toISOString(),
        until: notice.until === undefined ? null : new Date(notice.until).toISOString(),
      })),
      more,
    },
  };
}

/** Slack's own markup: what names hold must not be read as a mention or a link. */
function slackText({ type, notices, more }: AlertMessage, gateway: string): string {
  const shown = notices.slice(0, MOST_LINES);
  const left = more + notices.length - shown.length;
  const head = type === "alert.test"
    ? "This is a test: alerts of this gateway arrive here"
    : type === "alert.summary"
    ? `${notices.length + more} alerts`
    : undefined;
  return [
    `*Tollgate* ${escaped(gateway)}${head === undefined ? "" : `: ${head}`}`,
    ...shown.map(({ type: state, trouble, since, until }) =>
      state === "resolved"
        ? `*over* ${escaped(trouble.text)} (${timeText(since)} to ${timeText(until ?? since)})`
        : `*${trouble.severity}* ${escaped(trouble.text)} (since ${timeText(since)})\n` +
          `${escaped(trouble.help)} | <${escaped(gateway + trouble.path)}|console>`
    ),
    ...(left > 0 ? [`and ${left} more: tollgate alerts list`] : []),
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
