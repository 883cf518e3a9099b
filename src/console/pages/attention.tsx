/**
 * What needs somebody, each with what mends it: what is the matter as alerts have it, and routes that
 * are not set up to serve.
 *
 * @module
 */

import type { AlertRow } from "../../admin/alerts.ts";
import type { RefusalRow } from "../../admin/refusals.ts";
import type { ShownPause } from "../../admin/base/shown_pause.ts";
import type { RouteRow } from "../../admin/catalogue/routes.ts";
import { causeWords, isThrottled, mendingCommand } from "../parts/refusal_words.ts";

/** One thing to look at. */
export interface Finding {
  readonly text: string;
  /** The page that mends it. */
  readonly path: string;
  readonly action: string;
}

/** The most that are listed one by one. */
const MOST = 20;

/** What leads to the page that mends it. */
const ACTIONS: { readonly [cause in AlertRow["cause"]]: string } = {
  budget: "Show",
  balance: "Credit",
  brake: "Resume",
  route: "Routes",
  errors: "Routes",
  disk: "System",
  ledger: "Ledger",
  backup: "System",
  secret: "Providers",
  catalogue: "Models",
};

/** What is grave comes first. */
export function attentionOf(
  { alerts, routes, refusals, refusalsSince, pauses }: {
    readonly alerts: readonly AlertRow[];
    readonly routes: readonly RouteRow[];
    /** By project, key and reason. */
    readonly refusals: readonly RefusalRow[];
    /** Since when they are counted; milliseconds since the epoch. */
    readonly refusalsSince: number;
    /** Of the video queue. */
    readonly pauses: readonly ShownPause[];
  },
): readonly Finding[] {
  const raised = alerts.filter(({ state }) => state === "raised");
  return [
    ...raised.filter(({ severity }) => severity === "grave"),
    ...raised.filter(({ severity }) => severity !== "grave"),
  ].map(({ text, path, cause }): Finding => ({ text, path, action: ACTIONS[cause] })).concat(
    pauses.map(pauseFinding),
    refusals.flatMap((row) => refusalFindings(row, refusalsSince)),
    routes.flatMap(offFindings),
    routes.flatMap(({ id, model, status, missing_keys: missing }): readonly Finding[] => {
      const path = `/console/routes?model=${encodeURIComponent(model)}`;
      switch (status) {
        case "unpriced":
          return [{ text: `Route ${id} has no price: it serves nobody`, path, action: "Routes" }];
        case "no_key":
          return [{
            text: `Route ${id} has no key: ${missing.join(", ")} has no value`,
            path: "/console/providers",
            action: "Providers",
          }];
        case "unserved":
          return [{ text: `Route ${id} cannot be served by its provider`, path, action: "Routes" }];
        default:
          return [];
      }
    }),
  );
}

function pauseFinding({ part, id, reason, since }: ShownPause): Finding {
  const what = id === null ? "The video queue is" : `Films of ${part} ${id} are`;
  const why = reason === null ? "" : `: ${reason}`;
  const at = minuteOf(since);
  return { text: `${what} paused since ${at}${why}`, path: "/console/videos", action: "Resume" };
}

/** What a catalogue says to be off is meant to stay so; what somebody switched may be forgotten. */
function offFindings({ id, model, switched_off: notes = [] }: RouteRow): readonly Finding[] {
  return notes.map(({ switch: which, reason, since }) => {
    const what = which === "disabled" ? "disabled" : "in maintenance";
    const why = reason === null ? "" : `: ${reason}`;
    return {
      text: `Route ${id} is ${what} since ${minuteOf(since)}${why}`,
      path: `/console/routes?model=${encodeURIComponent(model)}`,
      action: "Routes",
    };
  });
}

function minuteOf(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}

/** A few are the daily bread of limits. */
const MANY_REFUSALS = 10;

function refusalFindings(row: RefusalRow, since: number): readonly Finding[] {
  const { project, key, reason, refusals } = row;
  if (refusals < MANY_REFUSALS) return [];
  const whose = project === null ? "Somebody without a valid key" : `Project ${project}`;
  const times = `${refusals.toLocaleString("en")} times since ${
    new Date(since).toISOString().slice(11, 16)
  } UTC`;
  const command = mendingCommand(row);
  const ofKey = row.why?.startsWith("key_") && key !== null ? `, key ${key}` : "";
  const what = isThrottled(row)
    ? `was throttled ${times} by the ${causeWords(row)}${ofKey}`
    : `was refused ${times} (${causeWords(row)})`;
  const mend = command === undefined
    ? ""
    : `: ${isThrottled(row) ? "raise" : "mend"} with ${command}`;
  const query = new URLSearchParams({
    status: "refused",
    error: reason ?? "",
    ...(project ? { project } : {}),
  });
  return [{ text: `${whose} ${what}${mend}`, path: `/console/calls?${query}`, action: "Calls" }];
}

export function Attention({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) {
    return <p class="notice good" role="status">Nothing needs you now.</p>;
  }
  return (
    <section aria-label="What needs you">
      {findings.slice(0, MOST).map(({ text, path, action }) => (
        <p class="notice warn">
          {text} <a href={path}>{action}</a>
        </p>
      ))}
      {findings.length > MOST && <p class="quiet">{`and ${findings.length - MOST} more`}</p>}
    </section>
  );
}
