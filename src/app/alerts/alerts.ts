/**
 * Alerts: looks now and then at what is the matter, tells each thing once, holds back what may wait
 * while hours are quiet, and says when it is over.
 *
 * @module
 */

import {
  type AdminAlerts,
  type AlertTargetView,
  type AlertTest,
  type AlertView,
  UNTOLD_WARNING,
} from "../../admin/base/alert_rows.ts";
import type { AlertSettings } from "../../config/process_settings.ts";
import { isQuiet } from "../../config/quiet_hours.ts";
import { type AlertNotice, type Trouble, troubleKey } from "../../domain/alert.ts";
import type { Clock } from "../../domain/clock.ts";
import { randomName } from "../../domain/ids.ts";
import { GatewayError } from "../../errors.ts";
import type { Log } from "../../telemetry/log.ts";
import type { AlertMessage } from "./alert_bodies.ts";
import { AlertBook } from "./alert_book.ts";
import type { AlertFile } from "./alert_file.ts";
import type { AlertOutbox, WaitingMessage } from "./alert_outbox.ts";

/** What alerts work with. */
export interface AlertsOptions {
  readonly settings: Pick<AlertSettings, "causes" | "quiet">;
  /** Everything that is the matter now. */
  readonly look: (
    markOf: (key: string) => string | undefined,
  ) => Promise<readonly Trouble[]>;
  /** What else is to be told of one that is over; absent: nothing. */
  readonly endOf?: (trouble: Trouble) => string | undefined;
  readonly openOutbox: (
    kept: readonly WaitingMessage[],
    onChange: () => void,
  ) => AlertOutbox;
  readonly file: AlertFile;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  readonly onNotice: (notice: AlertNotice) => void;
}

/** Between two looks. */
export const LOOK_MS = 10_000;
/** Messages of one minute; what is more comes in one at its end. */
const MOST_A_MINUTE = 10;
const MINUTE_MS = 60_000;
const MOST_HELD = 500;
/** Of one message. */
const MOST_NOTICES = 50;
/** Trouble with single entries has no end of its own. */
const ENTRY_TROUBLE_MS = 3_600_000;

export class Alerts implements AdminAlerts {
  readonly #options: AlertsOptions;
  readonly #book: AlertBook;
  readonly #outbox: AlertOutbox;
  readonly #latched: Map<string, Trouble>;
  #held: AlertNotice[];
  #heldMore: number;
  /** When messages were made within the last minute. */
  #made: number[] = [];
  #looking: Promise<void> | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isTesting = false;

  constructor(options: AlertsOptions) {
    this.#options = options;
    const kept = options.file.read();
    this.#book = new AlertBook(kept);
    this.#latched = new Map((kept?.latched ?? []).map((one) => [troubleKey(one), one]));
    this.#held = [...kept?.held ?? []];
    this.#heldMore = kept?.heldMore ?? 0;
    this.#outbox = options.openOutbox(kept?.waiting ?? [], () => void this.#keep());
  }

  /** How many things are the matter. */
  get raised(): number {
    return this.#book.standing().length;
  }

  /** Sends what an earlier run could not, and looks from now on. */
  start(): void {
    this.#outbox.wake();
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    void this.look();
  }

  /** Looks now; never rejects. Who asks while somebody looks gets what that finds. */
  look(): Promise<void> {
    this.#looking ??= this.#look().catch((error) =>
      this.#options.log.error("alerts_trouble", { error: String(error) })
    ).finally(() => this.#looking = undefined);
    return this.#looking;
  }

  async list(): Promise<readonly AlertView[]> {
    await this.look();
    return [
      ...this.#book.standing().map((alert) => viewOf("raised", alert)),
      ...this.#book.past().map((alert) => viewOf("resolved", alert)),
    ];
  }

  targets(): readonly AlertTargetView[] {
    return this.#outbox.receivers();
  }

  /** What an operator should know now. */
  warnings(): readonly string[] {
    const isUntold = this.#outbox.receivers().some(({ trouble }) => trouble !== undefined);
    return isUntold ? [UNTOLD_WARNING] : [];
  }

  async test(): Promise<readonly AlertTest[]> {
    if (this.#outbox.receivers().length === 0) {
      throw new GatewayError(
        "conflict",
        "Nobody is told of alerts: start the server with --alert-url",
      );
    }
    if (this.#isTesting) {
      throw new GatewayError("conflict", "Another test is under way: wait for it");
    }
    this.#isTesting = true;
    try {
      return await this.#outbox.sendNow(this.#message("alert.test", [], 0));
    } finally {
      this.#isTesting = false;
    }
  }

  verified(differences: number): void {
    const key = { cause: "ledger", id: "verify" } as const;
    if (differences === 0) this.#latched.delete(troubleKey(key));
    else {
      this.#latched.set(troubleKey(key), {
        ...key,
        severity: "grave",
        text: `The books do not add up: the last check found ${differences} differences`,
        help: "tollgate ledger verify",
        path: "/console/ledger",
      });
    }
    void this.look();
  }

  /** Storage refused what was decided. */
  entryRefused(): void {
    const { clock } = this.#options;
    const trouble: Trouble = {
      cause: "ledger",
      id: "entry",
      severity: "grave",
      text: "Storage refused an entry that was decided",
      help: "tollgate ledger verify, and ledger_trouble in the server's log",
      path: "/console/ledger",
      onceUntil: clock.now() + ENTRY_TROUBLE_MS,
    };
    this.#latched.set(troubleKey(trouble), trouble);
  }

  /** Looks no more; what has not arrived is kept. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await this.#outbox.stop();
    await this.#keep();
  }

  async #look(): Promise<void> {
    const { look, endOf, clock, settings: { causes, quiet }, log, onNotice } = this.#options;
    const now = clock.now();
    for (const [key, { onceUntil = Infinity }] of this.#latched) {
      if (onceUntil <= now) this.#latched.delete(key);
    }
    const found = await look((key) => this.#book.find(key)?.trouble.mark);
    const before = this.#book.standing().length;
    const notices = this.#book.take([...this.#latched.values(), ...found], now, endOf);
    for (const notice of notices) {
      const { cause, id, severity, text, project, route } = notice.trouble;
      const fields = { cause, id, severity, message: text, project, route };
      if (notice.type === "raised") log.warn("alert_raised", fields);
      else log.info("alert_resolved", { ...fields, since: new Date(notice.since).toISOString() });
      onNotice(notice);
    }
    const waited = new Set(this.#held);
    if (this.#outbox.receivers().length > 0) {
      for (const notice of notices) {
        if (causes.includes(notice.trouble.cause)) this.#hold(notice);
      }
      this.#release({ isQuietNow: quiet !== undefined && isQuiet(quiet, now), now, waited });
    }
    const isSame = before === this.#book.standing().length;
    if (notices.length === 0 && waited.size === 0 && isSame) return;
    // What is told is on the disk first: who dies in between tells it after the next start.
    await this.#keep();
    this.#outbox.wake();
  }

  #hold(notice: AlertNotice): void {
    this.#held.push(notice);
    if (this.#held.length <= MOST_HELD) return;
    this.#held.shift();
    this.#heldMore++;
  }

  /**
   * Makes messages of what may be told now: one each, or one of all where they are too many, or
   * have waited.
   */
  #release({ isQuietNow, now, waited }: {
    readonly isQuietNow: boolean;
    readonly now: number;
    readonly waited: ReadonlySet<AlertNotice>;
  }): void {
    const due = isQuietNow
      ? this.#held.filter(({ trouble }) => trouble.severity === "grave")
      : this.#held;
    if (due.length === 0) return;
    this.#made = this.#made.filter((at) => at > now - MINUTE_MS && at <= now);
    const room = MOST_A_MINUTE - this.#made.length;
    if (room <= 0) return;
    const told = withoutOver(due);
    const hasWaited = due.some((notice) => waited.has(notice));
    // The last one of a minute is kept for what may yet come in it.
    if (told.length > 1 && (hasWaited || told.length >= room)) {
      const shown = told.slice(-MOST_NOTICES);
      const more = told.length - shown.length + (isQuietNow ? 0 : this.#heldMore);
      this.#outbox.add(this.#message("alert.summary", shown, more));
      this.#made.push(now);
    } else {
      for (const notice of told) {
        this.#outbox.add(this.#message(`alert.${notice.type}`, [notice], 0));
        this.#made.push(now);
      }
    }
    if (!isQuietNow) this.#heldMore = 0;
    const gone = new Set(due);
    this.#held = this.#held.filter((notice) => !gone.has(notice));
  }

  #message(
    type: AlertMessage["type"],
    notices: readonly AlertNotice[],
    more: number,
  ): AlertMessage {
    const createdAt = this.#options.clock.now();
    return { id: `evt_${randomName(26)}`, type, createdAt, notices, more };
  }

  #keep(): Promise<void> {
    return this.#options.file.write(() => ({
      ...this.#book.state(),
      latched: [...this.#latched.values()],
      held: this.#held,
      heldMore: this.#heldMore,
      waiting: this.#outbox.waiting(),
    }));
  }
}

/** Of what came and went in between, only that. */
function withoutOver(notices: readonly AlertNotice[]): readonly AlertNotice[] {
  const nameOf = ({ trouble, since }: AlertNotice) => `${troubleKey(trouble)}@${since}`;
  const over = new Set(notices.filter(({ type }) => type === "resolved").map(nameOf));
  return notices.filter((notice) => notice.type === "resolved" || !over.has(nameOf(notice)));
}

function viewOf(
  state: AlertView["state"],
  { trouble, since, ...times }: {
    readonly trouble: Trouble;
    readonly since: number;
    readonly toldAt?: number | undefined;
    readonly until?: number | undefined;
  },
): AlertView {
  const { toldAt, until } = times;
  return { id: `${troubleKey(trouble)}@${since}`, state, trouble, since, toldAt, until };
}
