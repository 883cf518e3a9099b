/**
 * The metrics that are counted while the gateway works: the one table of their names.
 * Labels come from the catalogue and from closed lists; no key, prompt, user or tag is one.
 *
 * @module
 */

import type { Family } from "./family.ts";

const counter = (name: string, help: string): Family => ({ name, help, type: "counter" });
const seconds = (name: string, help: string): Family => ({
  name,
  help,
  type: "histogram",
  unit: "seconds",
});

/** Of each route. `route="(cache)"` are calls that got the answer of an equal one. */
export const ROUTE_FAMILIES = {
  calls: counter(
    "tollgate_calls_total",
    "Metered calls that have ended, by route, class of HTTP status and result",
  ),
  duration: seconds(
    "tollgate_call_duration_seconds",
    "From a call's arrival to its end, films left out",
  ),
  firstToken: seconds(
    "tollgate_time_to_first_token_seconds",
    "From the arrival of a streamed call to its upstream's first byte",
  ),
  attempts: counter("tollgate_attempts_total", "Attempts of calls, by the route that ended them"),
  failures: counter(
    "tollgate_attempt_failures_total",
    "Attempts that failed, by route and kind of failure",
  ),
  units: counter(
    "tollgate_units_total",
    "What calls have bought, by unit: tokens, images, characters; seconds of film",
  ),
  cost: counter("tollgate_cost_total", "What the operator pays for calls, in the currency"),
  sales: counter("tollgate_sales_total", "What calls are priced at for projects, in the currency"),
  charged: counter("tollgate_charged_total", "What projects have paid for calls, in the currency"),
  loss: counter(
    "tollgate_loss_total",
    "What is priced and nobody is charged for, in the currency",
  ),
} as const satisfies Record<string, Family>;

/** Of each project, while they are few; see {@linkcode MOST_PROJECTS}. */
export const PROJECT_FAMILIES = {
  calls: counter("tollgate_project_calls_total", "Metered calls that have ended, by project"),
  tokens: counter("tollgate_project_tokens_total", "Tokens of calls, by project and side"),
  charged: counter(
    "tollgate_project_charged_total",
    "What projects have paid for calls, in the currency",
  ),
} as const satisfies Record<string, Family>;

/** So many projects have series of their own; the others share `project="other"`. */
export const MOST_PROJECTS = 200;

/** What happens beside calls. */
export const EVENT_FAMILIES = {
  requests: counter(
    "tollgate_requests_total",
    "HTTP requests that were no metered calls, by class of status",
  ),
  refusals: counter(
    "tollgate_refusals_total",
    "Requests and calls that ended with an error, by its code; other: an upstream's own",
  ),
  commits: seconds(
    "tollgate_commit_duration_seconds",
    "A synced write of what was decided: one transaction of many calls",
  ),
  entries: counter("tollgate_commit_entries_total", "Entries that these have written"),
  loopDelay: seconds(
    "tollgate_event_loop_delay_seconds",
    "How much later than asked for a timer of the main thread runs",
  ),
  films: counter("tollgate_films_ended_total", "Films that are over, by how"),
  filmEvents: counter(
    "tollgate_film_events_total",
    "What happens to films on their way, by event",
  ),
  webhooks: counter("tollgate_webhook_tries_total", "Tries to send a webhook, by outcome"),
  alertsRaised: counter("tollgate_alerts_raised_total", "Alerts that were raised, by cause"),
  alertTries: counter("tollgate_alert_tries_total", "Tries to send an alert, by outcome"),
  guardFaults: counter("tollgate_guard_faults_total", "Questions that the guard did not answer"),
  keyRefusals: counter(
    "tollgate_upstream_key_refusals_total",
    "Upstream keys that a provider did not take, by provider",
  ),
  ledgerTrouble: counter(
    "tollgate_ledger_trouble_total",
    "Entries that storage refused although they were decided",
  ),
  pauses: counter("tollgate_spend_pauses_total", "Projects and keys that their brake has paused"),
  spansDropped: counter(
    "tollgate_spans_dropped_total",
    "Spans of traces that the collector did not get",
  ),
  notKept: counter(
    "tollgate_answers_not_kept_total",
    "Times that answers of a project began not to be kept, by why",
  ),
} as const satisfies Record<string, Family>;
