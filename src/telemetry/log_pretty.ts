/**
 * Log lines for people: time, level, event and `name=value` pairs.
 *
 * @module
 */

/** A line to be. */
export interface PrettyLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly event: string;
  readonly fields: { readonly [name: string]: string | number | boolean | null | undefined };
  readonly color: boolean;
}

const PLAIN = /^[\w.:/@+-]+$/;
const LEVELS = { debug: "DEBUG", info: "INFO ", warn: "WARN ", error: "ERROR" } as const;
const COLORS = { debug: 36, info: 32, warn: 33, error: 31 } as const;
const DIM = 2;

/** Writes one line; text that is not plain is quoted, so no value can look like another line. */
export function prettyLine({ at, level, event, fields, color }: PrettyLine): string {
  const time = new Date(at).toISOString().slice(11, 23);
  let line = `${paint(time, DIM, color)} ${paint(LEVELS[level], COLORS[level], color)} ${
    shown(event)
  }`;
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) line += ` ${paint(`${name}=`, DIM, color)}${shown(value)}`;
  }
  return line;
}

function shown(value: string | number | boolean | null): string {
  return typeof value === "string" && !PLAIN.test(value) ? JSON.stringify(value) : String(value);
}

function paint(text: string, code: number, color: boolean): string {
  return color ? `\u001b[${code}m${text}\u001b[0m` : text;
}
