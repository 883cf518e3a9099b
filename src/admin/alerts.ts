/**
 * Alerts: what is the matter, what was told lately, and whether telling works.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../documents/shown.ts";
import { ALERT_CAUSES } from "../domain/alert.ts";
import { GatewayError } from "../errors.ts";
import type { AlertView } from "./base/alert_rows.ts";
import type { AdminDeps } from "./base/deps.ts";
import { shownCount, shownTime, timeToJson } from "./base/fields.ts";
import { defineOperation } from "./base/operation.ts";
import { pageAnswer, pageFields, pageOfItems } from "./base/page.ts";
import { shownText } from "./base/shown_path.ts";

const shownAlert = z.object({
  id: z.string(),
  state: z.enum(["raised", "resolved"]).describe("raised while it is the matter"),
  cause: z.enum(ALERT_CAUSES),
  severity: z.enum(["warning", "grave"]).describe("grave ones are sent in quiet hours, too"),
  text: z.string(),
  help: z.string().describe("A command, or what to do"),
  path: z.string().describe("The console's page of it"),
  project: z.string().nullable(),
  route: z.string().nullable(),
  since: shownTime,
  told_at: shownTime.nullable().describe("null while it has not lasted long enough to be told"),
  until: shownTime.nullable(),
});

export type AlertRow = Shown<typeof shownAlert>;

export const listAlerts = defineOperation({
  name: "alerts.list",
  method: "GET",
  path: "/alerts",
  role: "viewer",
  summary: "List what is the matter now, and behind it what was told lately and is over.",
  input: z.strictObject(pageFields),
  output: pageAnswer(shownAlert),
  errors: [],
  async run({ alerts, origin }, { limit, after }) {
    const items = await alerts?.list() ?? [];
    const show = (alert: AlertView) => {
      const row = rowOf(alert);
      const [text, help] = [shownText(origin, row.text), shownText(origin, row.help)];
      return { ...row, text, help };
    };
    return pageOfItems(items, { limit, after, show, what: "alert" });
  },
});

export const testAlerts = defineOperation({
  name: "alerts.test",
  method: "POST",
  path: "/alerts/test",
  role: "operator",
  isLong: true,
  summary: "Send a test message to everybody who is told of alerts, and say what was answered.",
  input: z.strictObject({}),
  output: z.object({
    object: z.literal("list"),
    data: z.array(z.object({
      target: z.string().describe("Without what is a secret of it"),
      delivered: z.boolean(),
      answer: z.string(),
      milliseconds: shownCount,
    })),
  }),
  errors: ["conflict"],
  async run(deps) {
    return { object: "list" as const, data: [...await requireAlerts(deps).test()] };
  },
});

function requireAlerts({ alerts }: AdminDeps) {
  if (alerts !== undefined) return alerts;
  throw new GatewayError(
    "conflict",
    "No server runs here that could tell anybody: start it (tollgate serve) with --alert-url",
  );
}

function rowOf({ id, state, trouble, since, toldAt, until }: AlertView): AlertRow {
  const { cause, severity, text, help, path, project = null, route = null } = trouble;
  return {
    ...{ id, state, cause, severity, text, help, path, project, route },
    since: timeToJson(since),
    told_at: timeToJson(toldAt),
    until: timeToJson(until),
  };
}
