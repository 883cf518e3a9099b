/**
 * What is counted while the gateway works: a sink of the records that the log has, too.
 *
 * @module
 */

import { ALERT_CAUSES } from "../../domain/alert.ts";
import { ERROR_TABLE } from "../../errors.ts";
import type { CallRecord } from "../../metering/call_record.ts";
import { CallMetrics, type CatalogueNames } from "./call_metrics.ts";
import { CounterSet } from "./counter_set.ts";
import { EVENT_FAMILIES } from "./families.ts";
import { Counted, type Reading } from "./family.ts";
import { Histogram, SHORT_SECONDS } from "./histogram.ts";

/** Codes of the gateway's own errors: what an upstream sends as its code may be anything. */
const KNOWN_CODES: ReadonlySet<string> = new Set(
  Object.values(ERROR_TABLE).map(({ code }) => code),
);
const OTHER = "other";

/** All of it. */
export class Metrics {
  readonly calls: CallMetrics;
  readonly commits = new Histogram(SHORT_SECONDS);
  readonly loopDelay = new Histogram(SHORT_SECONDS);
  readonly entries = new Counted("");
  readonly guardFaults = new Counted("");
  readonly ledgerTrouble = new Counted("");
  readonly spansDropped = new Counted("");
  readonly requests = new CounterSet(EVENT_FAMILIES.requests, "status", ["2xx", "4xx", "5xx"]);
  readonly refusals = new CounterSet(EVENT_FAMILIES.refusals, "reason");
  readonly films = new CounterSet(EVENT_FAMILIES.films, "how", ["completed", "failed", "deleted"]);
  readonly filmEvents = new CounterSet(EVENT_FAMILIES.filmEvents, "event");
  readonly webhooks = new CounterSet(EVENT_FAMILIES.webhooks, "outcome", [
    "delivered",
    "failed",
    "given_up",
  ]);
  readonly alertsRaised = new CounterSet(EVENT_FAMILIES.alertsRaised, "cause", ALERT_CAUSES);
  readonly alertTries = new CounterSet(EVENT_FAMILIES.alertTries, "outcome", [
    "delivered",
    "failed",
    "given_up",
    "dropped",
  ]);
  readonly keyRefusals = new CounterSet(EVENT_FAMILIES.keyRefusals, "provider");
  readonly pauses = new CounterSet(EVENT_FAMILIES.pauses, "scope", ["project", "key"]);
  readonly notKept = new CounterSet(EVENT_FAMILIES.notKept, "why");

  constructor(names: CatalogueNames) {
    this.calls = new CallMetrics(names);
  }

  /** A call has ended. */
  call(record: CallRecord): void {
    this.calls.take(record);
    const { errorCode } = record.call;
    if (errorCode !== undefined) this.#refused(errorCode);
  }

  /** A request has ended that was no metered call. */
  request(status: number, errorCode: string | undefined): void {
    this.requests.add(`${Math.trunc(status / 100)}xx`);
    if (errorCode !== undefined) this.#refused(errorCode);
  }

  /** Entries were written in one synced step. */
  committed(milliseconds: number, entries: number): void {
    this.commits.observe(milliseconds / 1_000);
    this.entries.value += entries;
  }

  /** Everything, as it is now. `currency` is that of the catalogue. */
  *readings(currency: string): Iterable<Reading> {
    yield* this.calls.readings(currency);
    yield this.requests;
    yield this.refusals;
    yield { family: EVENT_FAMILIES.commits, series: [{ labels: "", value: this.commits }] };
    yield { family: EVENT_FAMILIES.entries, series: [this.entries] };
    yield { family: EVENT_FAMILIES.loopDelay, series: [{ labels: "", value: this.loopDelay }] };
    yield this.films;
    yield this.filmEvents;
    yield this.webhooks;
    yield this.alertsRaised;
    yield this.alertTries;
    yield { family: EVENT_FAMILIES.guardFaults, series: [this.guardFaults] };
    yield this.keyRefusals;
    yield { family: EVENT_FAMILIES.ledgerTrouble, series: [this.ledgerTrouble] };
    yield { family: EVENT_FAMILIES.spansDropped, series: [this.spansDropped] };
    yield this.pauses;
    yield this.notKept;
  }

  #refused(code: string): void {
    this.refusals.add(KNOWN_CODES.has(code) ? code : OTHER);
  }
}
