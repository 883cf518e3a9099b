/**
 * Writes log lines in batches: a line costs its caller a string append, the
 * pipe is written once per batch, and a pipe that nobody reads costs bounded
 * memory. Secrets and control characters are taken out here, in one place.
 *
 * @module
 */

import { WorkLoop } from "../domain/work_loop.ts";

/** What a sink needs. */
export interface LogSinkOptions {
  /** Writes all of the bytes; called for one batch at a time. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Values that must never be written, as they are now. */
  readonly secrets: () => readonly string[];
  /** Makes the line that tells of dropped lines. */
  readonly droppedLine: (count: number) => string;
}

/** Lines travel together that are logged within this time. */
const GATHER_MS = 20;
/** Beyond this many characters waiting, lines are dropped and counted. */
const MAX_WAITING = 4 * 1024 * 1024;
/** Shorter values would blot out ordinary words. */
const SHORTEST_SECRET = 8;
const REDACTED = "[redacted]";

/** Anything that looks like an API key of ours or of a vendor (`sk-…`). */
const KEY_PATTERN = String.raw`\bsk-[A-Za-z0-9_-]{8,}`;
/** All but the line break and ESC: values carry no ESC (it is escaped with their quotes), colours do. */
const CONTROL =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0009\u000b-\u001a\u001c-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A bounded, redacting, batching writer of lines. */
export class LogSink {
  readonly #options: LogSinkOptions;
  readonly #encoder = new TextEncoder();
  #waiting = "";
  #dropped = 0;
  #untold = 0;
  #isBroken = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #loop = new WorkLoop({
    isLeft: () => this.#waiting !== "",
    step: () => this.#writeBatch(),
  });
  #known: readonly string[] | undefined;
  #forbidden = new RegExp(KEY_PATTERN, "g");

  constructor(options: LogSinkOptions) {
    this.#options = options;
  }

  /** Lines that were lost because the pipe was blocked or closed. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes one line, without its line break, which it must not contain. */
  write(line: string): void {
    if (this.#waiting.length > MAX_WAITING) {
      this.#dropped++;
      this.#untold++;
      return;
    }
    this.#waiting += line + "\n";
    if (this.#timer === undefined && !this.#loop.isRunning) {
      this.#timer = setTimeout(() => void this.#start(), GATHER_MS);
    }
  }

  /** Resolves when every line taken so far is written, or can never be. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#start();
  }

  #start(): Promise<void> {
    this.#timer = undefined;
    return this.#loop.run();
  }

  async #writeBatch(): Promise<void> {
    const text = this.#waiting;
    this.#waiting = "";
    const note = this.#untold === 0 ? "" : this.#options.droppedLine(this.#untold) + "\n";
    this.#untold = 0;
    if (this.#isBroken) return;
    try {
      await this.#options.write(this.#encoder.encode(this.#clean(text + note)));
    } catch {
      // Whoever read the log has gone, so there is nobody left to tell.
      this.#isBroken = true;
    }
  }

  #clean(text: string): string {
    return this.redact(text).replace(CONTROL, escapeCharacter);
  }

  /** A text without secrets: for what is cut, as half of a secret would not be found again. */
  redact(text: string): string {
    const secrets = this.#options.secrets();
    if (secrets !== this.#known) {
      this.#known = secrets;
      this.#forbidden = forbiddenText(secrets);
    }
    return text.replace(this.#forbidden, REDACTED);
  }
}

/** Matches each secret as it is and as it looks inside a JSON string, and key patterns. */
function forbiddenText(secrets: readonly string[]): RegExp {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    forms.add(RegExp.escape(secret));
    forms.add(RegExp.escape(JSON.stringify(secret).slice(1, -1)));
  }
  // Longest first, so that a secret that begins another one leaves no rest behind.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  return new RegExp([...longestFirst, KEY_PATTERN].join("|"), "g");
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
