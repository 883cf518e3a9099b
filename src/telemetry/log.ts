/**
 * The log: structured lines, one per call and one per event; JSON, or a form
 * for people on a terminal. It holds no prompt, no key and no upstream secret.
 *
 * @module
 */

import { completionTokens, promptTokens } from "../domain/work.ts";
import { formatAmount } from "../domain/money.ts";
import type { CallRecord } from "../metering/call_record.ts";
import { prettyLine } from "./log_pretty.ts";
import { LogSink } from "./log_sink.ts";

/** How serious a line is. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Facts of an event; `undefined` ones are left out. */
export interface LogFields {
  readonly [name: string]: string | number | boolean | null | undefined;
  /** What every line begins with is no fact of its event. */
  readonly time?: undefined;
  readonly level?: undefined;
  readonly event?: undefined;
}

/** What a log needs. */
export interface LogOptions {
  /** `auto`: pretty where `isTerminal`, JSON otherwise. */
  readonly format: "auto" | "json" | "pretty";
  /** The least level that is written. */
  readonly level: LogLevel;
  readonly isTerminal: boolean;
  /** Whether a pretty line may have colours. */
  readonly color: boolean;
  /**
   * Whether each line begins with its priority, as in `<4>`: the journal takes it
   * off (sd-daemon(3)), so that a JSON line is one there. None when absent.
   */
  readonly priorities?: boolean;
  /** Writes all of the bytes, such as to stderr. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Upstream secrets in use; the same array until they change. */
  readonly secrets: () => readonly string[];
  readonly clock: { now(): number };
}

/** The gateway's log. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** One line for a call that has ended. */
  call(record: CallRecord): void;
  /** Resolves when everything logged so far is written. */
  flush(): Promise<void>;
}

/** Makes the log. */
export function createLog(options: LogOptions): Log {
  const { clock, color } = options;
  const isPretty = options.format === "pretty" ||
    (options.format === "auto" && options.isTerminal);
  const formatLine = isPretty
    ? (level: LogLevel, event: string, fields: LogFields) =>
      prettyLine({ at: clock.now(), level, event, fields, color })
    : (level: LogLevel, event: string, fields: LogFields) =>
      jsonLine(clock.now(), level, event, fields);
  const format = options.priorities === true
    ? (level: LogLevel, event: string, fields: LogFields) =>
      `<${PRIORITIES[level]}>${formatLine(level, event, fields)}`
    : formatLine;
  const sink = new LogSink({
    write: options.write,
    secrets: options.secrets,
    droppedLine: (lines) => format("warn", "log.lines_dropped", { lines }),
  });
  const least = LEVELS.indexOf(options.level);
  function write(level: LogLevel, event: string, fields: LogFields = {}): void {
    if (LEVELS.indexOf(level) < least) return;
    const line = format(level, event, fields);
    sink.write(line.length > MOST_CHARACTERS ? format(level, event, cutFields(fields)) : line);
  }
  function cutFields(fields: LogFields): LogFields {
    const cut = Object.entries(fields).map(([name, value]) =>
      [name, typeof value === "string" ? cutText(value, sink) : value] as const
    );
    return Object.fromEntries(cut);
  }
  return {
    debug: (event, fields) => write("debug", event, fields),
    info: (event, fields) => write("info", event, fields),
    warn: (event, fields) => write("warn", event, fields),
    error: (event, fields) => write("error", event, fields),
    call: (record) => {
      if (least <= CALL_LEVEL) write("info", "call", callFields(record));
    },
    flush: () => sink.flush(),
  };
}

/** Of one value: what clients send (paths, methods) may have 64 KB. */
const MOST_CHARACTERS = 1_000;

function cutText(text: string, sink: LogSink): string {
  if (text.length <= MOST_CHARACTERS) return text;
  const shown = sink.redact(text).slice(0, MOST_CHARACTERS).toWellFormed();
  return `${shown}… (${text.length} characters)`;
}

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];
/** syslog(3)'s numbers. */
const PRIORITIES: Readonly<Record<LogLevel, number>> = { debug: 7, info: 6, warn: 4, error: 3 };
const CALL_LEVEL = LEVELS.indexOf("info");

function callFields({ call, status, milliseconds, address, placed }: CallRecord): LogFields {
  return {
    request_id: call.requestId,
    project: call.projectId,
    key: call.keyId,
    address,
    capability: call.capability,
    model: call.model,
    provider: call.provider,
    route: call.route,
    stream: call.stream,
    status,
    result: call.result,
    ms: Math.round(milliseconds),
    first_byte_ms: call.firstByteMs,
    attempts: call.attempts,
    placed,
    prompt_tokens: promptTokens(call.work),
    completion_tokens: completionTokens(call.work),
    usage_source: call.usageSource,
    cost: formatAmount(call.costE8),
    charged: formatAmount(call.chargedE8),
    loss: call.lossE8 === 0n ? undefined : formatAmount(call.lossE8),
    error: call.errorCode,
  };
}

let lastSecond = -1;
let lastSecondText = "";

/** ISO 8601 with milliseconds; the seconds are written once per second. */
function timestamp(at: number): string {
  const second = Math.floor(at / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastSecondText = new Date(second * 1000).toISOString().slice(0, 20);
  }
  return `${lastSecondText}${String(Math.floor(at) - second * 1000).padStart(3, "0")}Z`;
}

function jsonLine(at: number, level: LogLevel, event: string, fields: LogFields): string {
  const head = `{"time":"${timestamp(at)}","level":"${level}","event":${JSON.stringify(event)}`;
  const facts = JSON.stringify(fields);
  return facts === "{}" ? `${head}}` : `${head},${facts.slice(1)}`;
}
