/**
 * The settings of alerts: who is told, of what, and when not.
 *
 * @module
 */

import * as z from "zod";
import { ALERT_CAUSES, type AlertCause } from "../domain/alert.ts";
import { isSecretReference } from "../domain/secret_uses.ts";
import { parseQuietHours } from "./quiet_hours.ts";

/** How an alert is written: as our webhooks are, or as Slack's incoming webhooks take it. */
export type AlertForm = "webhook" | "slack";

/** Who is told. */
export interface AlertTarget {
  readonly form: AlertForm;
  /** Of Slack's it is a secret itself: only its origin is ever shown. Or a reference to it. */
  readonly url: string;
}

const MOST_TARGETS = 10;
const URL_HINT = "Expected https:// or http:// and an address without a user name, or " +
  "env:NAME, file:/path or credential:NAME of one; with webhook= or slack= before it";
const CAUSES_HINT = `Expected some of ${ALERT_CAUSES.join(", ")}, separated by commas`;

/** Whether a text is a URL that alerts may go to, as far as its form says that. */
export function isAlertUrl(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).username === "" &&
    text.length <= 2_048;
}

/** `slack=URL`, `webhook=URL` or a URL alone, whose host then says which; `undefined` for none. */
export function parseAlertTarget(text: string): AlertTarget | undefined {
  const [, given, url = ""] = /^(?:(webhook|slack)=)?(.+)$/s.exec(text) ?? [];
  if (!isSecretReference(url) && !isAlertUrl(url)) return undefined;
  const form = (given as AlertForm | undefined) ??
    (/^https:\/\/hooks\.slack\.com\//.test(url) ? "slack" : "webhook");
  return { form, url };
}

/** Where an alert goes, without what is a secret of it. */
export function shownTarget({ form, url }: AlertTarget): string {
  return `${form}=${isSecretReference(url) ? url : new URL(url).origin}`;
}

export const ALERT_FIELDS = {
  alert_url: z.union(
    [z.string(), z.array(z.string()).max(MOST_TARGETS)],
    "Expected a URL or a list of them",
  ).transform((given, context) => {
    const texts = typeof given === "string" ? given.split(/\s+/).filter(Boolean) : given;
    if (texts.length > 0 && texts.length <= MOST_TARGETS) {
      const targets = texts.map(parseAlertTarget);
      if (targets.every((target) => target !== undefined)) return targets;
    }
    context.addIssue({ code: "custom", message: URL_HINT });
    return z.NEVER;
  }).optional().meta({
    placeholder: "URL",
    repeatable: true,
    description: "Who is told what goes wrong; several are possible (in a variable with blanks " +
      "between them). slack=URL is one of Slack's incoming webhooks, webhook=URL is signed as " +
      "webhooks are; without either the host decides. env:NAME, file:/path or credential:NAME " +
      "stand for a URL that is a secret. On the open internet, unless webhook_private_addresses " +
      "is true. Default: nobody.",
  }),
  alert_secret: z.string().refine(
    isSecretReference,
    "Expected a reference, not the secret itself: write env:NAME, file:/path or credential:NAME",
  ).optional().meta({
    placeholder: "REFERENCE",
    description: "env:NAME, file:/path or credential:NAME of the secret ('whsec_' and base64 of " +
      "24 to 64 bytes) that signs alerts to webhooks; Slack's need none. Default: none.",
  }),
  alert_causes: z.union([z.string(), z.array(z.string()).max(100)], CAUSES_HINT)
    .transform((given, context) => {
      const names = (typeof given === "string" ? given.split(",") : given)
        .map((name) => name.trim());
      if (names.includes("all")) return ALERT_CAUSES;
      if (names.every((name) => (ALERT_CAUSES as readonly string[]).includes(name))) {
        return [...new Set(names)] as readonly AlertCause[];
      }
      context.addIssue({ code: "custom", message: CAUSES_HINT });
      return z.NEVER;
    }).prefault("all").meta({
      placeholder: "CAUSES",
      description: `What is told: all, or some of ${ALERT_CAUSES.join(", ")}.`,
    }),
  alert_quiet: z.string().transform((text, context) => {
    const hours = parseQuietHours(text);
    if (hours !== undefined) return hours;
    context.addIssue({
      code: "custom",
      message: "Expected HH:MM-HH:MM and a time zone, such as '22:00-07:00 Europe/Berlin'",
    });
    return z.NEVER;
  }).optional().meta({
    placeholder: "HOURS",
    description: "Hours in which only grave alerts are sent, such as '22:00-07:00 Europe/Berlin' " +
      "(UTC without a zone): the others come in one message at their end. Default: none.",
  }),
  alert_error_ratio: z.number().gt(0).max(1).default(0.25).meta({
    placeholder: "RATIO",
    description: "Share of the calls of five minutes that fail with 5xx from which on that is " +
      "told, of 20 calls at least.",
  }),
};
