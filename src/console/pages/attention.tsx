/**
 * What needs somebody: paused and empty projects, budgets that are reached, routes that cannot serve;
 * each with what mends it.
 *
 * @module
 */

import type { ProjectRow } from "../../admin/accounts/projects.ts";
import type { RefusalRow } from "../../admin/refusals.ts";
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

export function attentionOf(
  { projects, routes, refusals }: {
    readonly projects: readonly ProjectRow[];
    readonly routes: readonly RouteRow[];
    /** Of the last hour, by project, key and reason. */
    readonly refusals: readonly RefusalRow[];
  },
): readonly Finding[] {
  return [
    ...projects.flatMap(projectFindings),
    ...refusals.flatMap(refusalFindings),
    ...routes.flatMap(({ id, model, status, missing_keys: missing }) => {
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
        case "circuit_open":
        case "cooling_down":
          return [{ text: `Route ${id} failed and is left alone for now`, path, action: "Routes" }];
        default:
          return [];
      }
    }),
  ];
}

function projectFindings(row: ProjectRow): readonly Finding[] {
  const { id, paused, reached_budgets: reached, unlimited, balance, disabled } = row;
  if (disabled) return [];
  const path = `/console/projects/${encodeURIComponent(id)}`;
  const findings: Finding[] = [];
  if (paused !== null) {
    findings.push({
      text: `Project ${id} is paused: it spent ${paused.spent_in_hour} in an hour, ` +
        `where ${paused.usual_hour} is usual`,
      path,
      action: "Resume",
    });
  }
  if (reached.length > 0) {
    findings.push({
      text: `Project ${id} reached its ${reached.join(" and ")} budget`,
      path,
      action: "Show",
    });
  }
  if (!unlimited && Number(balance) <= 0) {
    findings.push({ text: `Project ${id} has nothing left to spend`, path, action: "Credit" });
  }
  return findings;
}

/** A few are the daily bread of limits. */
const MANY_REFUSALS = 10;

function refusalFindings(row: RefusalRow): readonly Finding[] {
  const { project, key, reason, refusals } = row;
  if (refusals < MANY_REFUSALS) return [];
  const whose = project === null ? "Somebody without a valid key" : `Project ${project}`;
  const times = `${refusals.toLocaleString("en")} times in the last hour`;
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
