/**
 * What is the matter and who was told: each thing once, until it is over. Knows nothing of how
 * anybody is told.
 *
 * @module
 */

import { type AlertCause, type AlertNotice, type Trouble, troubleKey } from "../../domain/alert.ts";

/** One thing that is the matter. All times are milliseconds since the epoch. */
export interface StandingAlert {
  readonly trouble: Trouble;
  readonly since: number;
  /** When it was told; absent: not yet. */
  readonly toldAt?: number | undefined;
  /** Since when it is not found any more; absent while it is. */
  readonly goneAt?: number | undefined;
}

/** One that was told and is over. */
export interface PastAlert {
  readonly trouble: Trouble;
  readonly since: number;
  readonly toldAt: number;
  readonly until: number;
}

/** All that outlives a restart. */
export interface BookState {
  readonly standing: readonly StandingAlert[];
  readonly past: readonly PastAlert[];
}

/** Beyond it nothing new is taken in: the oldest things are told already. */
const MOST_STANDING = 10_000;
/** What was told lately. */
const MOST_PAST = 200;
/** What comes and goes is over when it has been so for a while: nobody wants each coming and going. */
const CLEAR_MS: { readonly [cause in AlertCause]?: number } = {
  route: 60_000,
  errors: 60_000,
  disk: 60_000,
  balance: 60_000,
};
/** What a process knows by its calls alone, it does not know yet after its start. */
const LEARNED: ReadonlySet<AlertCause> = new Set(["route", "errors"]);
const LEARN_MS = 300_000;

export class AlertBook {
  readonly #standing = new Map<string, StandingAlert>();
  readonly #past: PastAlert[];
  readonly #restored: ReadonlySet<string>;
  #leftOut = 0;

  constructor({ standing, past }: BookState = { standing: [], past: [] }) {
    for (const alert of standing) this.#standing.set(troubleKey(alert.trouble), alert);
    this.#restored = new Set(this.#standing.keys());
    this.#past = [...past];
  }

  /** Things that were not taken in, as there are too many, at the last look. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** What stands of a name, if anything does. */
  find(key: string): StandingAlert | undefined {
    return this.#standing.get(key);
  }

  /** What is the matter now, what began last first. */
  standing(): readonly StandingAlert[] {
    return [...this.#standing.values()]
      .filter(({ trouble, goneAt }) => goneAt === undefined && trouble.isCovered !== true)
      .sort((one, other) => other.since - one.since);
  }

  /** What was told lately and is over, newest first. */
  past(): readonly PastAlert[] {
    return this.#past;
  }

  /** Everything, to be kept. */
  state(): BookState {
    return { standing: [...this.#standing.values()], past: this.#past };
  }

  /**
   * Takes in all that is the matter at a time.
   *
   * @param endOf What else is to be told of one that is over, such as that it was switched off.
   * @returns What is to be told of it, in the order in which it was found.
   */
  take(
    troubles: Iterable<Trouble>,
    now: number,
    endOf: (trouble: Trouble) => string | undefined = () => undefined,
  ): readonly AlertNotice[] {
    const notices: AlertNotice[] = [];
    const found = new Set<string>();
    this.#leftOut = 0;
    for (const trouble of troubles) {
      const key = troubleKey(trouble);
      const before = this.#standing.get(key);
      if (before === undefined && this.#standing.size >= MOST_STANDING) {
        this.#leftOut++;
        continue;
      }
      found.add(key);
      const since = before?.since ?? now;
      const isDue = before?.toldAt === undefined && now - since >= (trouble.afterMs ?? 0);
      const mark = before?.trouble.mark ?? trouble.mark;
      const kept = { ...trouble, ...(mark !== undefined && { mark }) };
      this.#standing.set(key, { trouble: kept, since, toldAt: isDue ? now : before?.toldAt });
      if (isDue && trouble.isCovered !== true) {
        notices.push({ type: "raised", trouble: kept, since });
      }
    }
    for (const [key, alert] of this.#standing) {
      if (found.has(key)) continue;
      const notice = this.#gone(key, alert, { now, endOf });
      if (notice !== undefined) notices.push(notice);
    }
    return notices;
  }

  #gone(
    key: string,
    alert: StandingAlert,
    { now, endOf }: {
      readonly now: number;
      readonly endOf: (trouble: Trouble) => string | undefined;
    },
  ): AlertNotice | undefined {
    const { trouble: standing, since, toldAt, goneAt = now } = alert;
    const { cause, onceUntil } = standing;
    const wait = LEARNED.has(cause) && this.#restored.has(key) ? LEARN_MS : CLEAR_MS[cause] ?? 0;
    const isKept = toldAt !== undefined && onceUntil !== undefined && now < onceUntil;
    if (toldAt !== undefined && (isKept || now - goneAt < wait)) {
      this.#standing.set(key, { ...alert, goneAt });
      return undefined;
    }
    this.#standing.delete(key);
    if (toldAt === undefined || standing.isCovered === true) return undefined;
    const end = endOf(standing);
    const trouble = end === undefined
      ? standing
      : { ...standing, text: `${standing.text}; ${end}` };
    this.#past.unshift({ trouble, since, toldAt, until: goneAt });
    this.#past.length = Math.min(this.#past.length, MOST_PAST);
    return onceUntil === undefined
      ? { type: "resolved", trouble, since, until: goneAt }
      : undefined;
  }
}
