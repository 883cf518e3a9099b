/**
 * Tells whoever supervises the process how it is: starting, ready, reloading,
 * stopping, and, for a watchdog, that it is alive. The messages are sd_notify(3)'s.
 *
 * @module
 */

/** What life signs need. */
export interface LifeSignsOptions {
  /** Sends `NAME=value` lines as one message; never rejects. */
  readonly send: (lines: readonly string[]) => Promise<void>;
  /** Whoever sees no sign for so long ends the process; `undefined`: nobody does. Milliseconds. */
  readonly watchdogMs: number | undefined;
  /** Runs something again and again; what it returns ends that. */
  readonly every: (run: () => void, ms: number) => () => void;
}

/** A process that serves. */
export interface Served {
  /** Resolves when everything that a call needs here works; it need not, when that hangs. */
  readonly isAlive: () => Promise<void>;
  /** One line for people, as it is now. */
  readonly status: () => string;
}

/** How long a start may go on without having said so again. */
const START_PATIENCE_MS = 60_000;
const START_REPEAT_MS = 10_000;
/** A start that takes longer hangs: it is no longer vouched for. */
const LONGEST_START_MS = 3_600_000;
/** What an end may take beyond the calls under way: last bytes, films, the database's last write. */
const END_PATIENCE_MS = 15_000;

/** The signs of one process, from its start to its end. */
export class LifeSigns {
  readonly #options: LifeSignsOptions;
  #served: Served | undefined;
  #remark = "";
  /** Of the end, once that has begun: whatever is told after it says so too. */
  #lastWords: string | undefined;
  #endRepeats: () => void = () => {};

  constructor(options: LifeSignsOptions) {
    this.#options = options;
  }

  /** The start is under way: it may take long, such as to bring a large database up to date. */
  starting(): void {
    let repeats = LONGEST_START_MS / START_REPEAT_MS;
    const extend = () => {
      if (repeats-- > 0) this.#tell("STATUS=Starting", extension(START_PATIENCE_MS));
    };
    extend();
    this.#endRepeats = this.#options.every(extend, START_REPEAT_MS);
  }

  /** The next call will be answered. From now on the watchdog is fed, twice in its time. */
  ready(served: Served): void {
    this.#endRepeats();
    this.#served = served;
    this.#tell("READY=1", this.#status());
    const { watchdogMs, every } = this.#options;
    if (watchdogMs === undefined) return;
    let isAsking = false;
    this.#endRepeats = every(async () => {
      if (isAsking) return;
      isAsking = true;
      try {
        await served.isAlive();
        await this.#tell("WATCHDOG=1", this.#status());
      } catch {
        // What is not alive gives no sign: that is all the watchdog waits for.
      } finally {
        isAsking = false;
      }
    }, watchdogMs / 2);
  }

  /**
   * What the operator changed is being read. Without `MONOTONIC_USEC`, which only
   * `Type=notify-reload` asks for: the runtime cannot read that clock.
   */
  reloading(): void {
    if (this.#lastWords !== undefined) return;
    this.#tell("RELOADING=1", "STATUS=Reading the catalogue file again");
  }

  /** That is over. `remark` stays in the status until the next time. */
  reloaded(remark: string | undefined): void {
    if (this.#lastWords !== undefined) return;
    this.#remark = remark === undefined ? "" : `; ${remark}`;
    this.#tell("READY=1", this.#status());
  }

  /** The end has begun, and calls under way may take `drainMs` to end. */
  stopping(status: string, drainMs: number): void {
    this.#lastWords = status;
    this.#tell("STOPPING=1", this.#status(), extension(drainMs + END_PATIENCE_MS));
  }

  /** Ends the repeated signs. */
  end(): void {
    this.#endRepeats();
  }

  #status(): string {
    if (this.#lastWords !== undefined) return `STATUS=${this.#lastWords}`;
    return `STATUS=${this.#served?.status() ?? "Starting"}${this.#remark}`;
  }

  #tell(...lines: readonly string[]): Promise<void> {
    return this.#options.send(lines);
  }
}

function extension(ms: number): string {
  return `EXTEND_TIMEOUT_USEC=${ms * 1_000}`;
}
