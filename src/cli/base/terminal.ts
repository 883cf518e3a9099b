/**
 * What a command needs of the process: where to write, what is around, how to
 * end at once.
 *
 * @module
 */

import { CommandFailure } from "./failure.ts";
import { readSurroundings, type Surroundings } from "../../config/surroundings.ts";

/** Characters in a line of `--help`. */
export const HELP_WIDTH = 100;

/** The process as commands see it. */
export interface Terminal {
  /** Data: what was asked for. */
  out(text: string): void;
  /** Messages: everything else. */
  err(text: string): void;
  /** Whether data may have colours. */
  readonly outColors: boolean;
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  readonly errColors: boolean;
  /** Whether somebody can be asked. */
  readonly canAsk: boolean;
  /** Puts a question to whoever sits there: whether the answer is yes. */
  ask(question: string): boolean;
  /** Puts a question to whoever sits there: the answer, which is not shown where it is hidden. */
  askLine(question: string, options?: { readonly hidden?: boolean }): string;
  readonly around: Surroundings;
  /** Ends the process at once, without cleaning up. */
  exit(code: number): never;
}

/** The real one. `exit` is handed over, because one file alone may end the process. */
export function createTerminal(exit: (code: number) => never): Terminal {
  const around = readSurroundings();
  // https://no-color.org: present and not empty, whatever its value.
  const noColor = (around.env.NO_COLOR ?? "") !== "" || around.env.TERM === "dumb";
  const outIsTerminal = Deno.stdout.isTerminal();
  const errIsTerminal = Deno.stderr.isTerminal();
  return {
    out: (text) => writeAll(Deno.stdout, text),
    err: (text) => writeAll(Deno.stderr, text),
    outColors: outIsTerminal && !noColor,
    errColors: errIsTerminal && !noColor,
    outIsTerminal,
    errIsTerminal,
    canAsk: canAsk(),
    ask(question) {
      writeAll(Deno.stderr, question);
      return YES.test(readLine());
    },
    askLine(question, { hidden = false } = {}) {
      writeAll(Deno.stderr, question);
      return hidden ? readHidden() : readLine();
    },
    around,
    exit,
  };
}

const encoder = new TextEncoder();

/** Whoever reads may stop reading, such as `head`: that is no failure of the command. */
function writeAll(to: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = encoder.encode(text);
  try {
    for (let sent = 0; sent < bytes.length;) sent += to.writeSync(bytes.subarray(sent));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

const YES = /^\s*y(es)?\s*$/i;
const MOST_BYTES = 8_192;

/** Whether somebody can be asked: both ends of the conversation are a terminal. */
function canAsk(): boolean {
  return Deno.stdin.isTerminal() && Deno.stderr.isTerminal();
}

/** Waits for a line. */
function readLine(): string {
  const decoder = new TextDecoder();
  const byte = new Uint8Array(1);
  let line = "";
  while (line.length < MOST_BYTES) {
    if (Deno.stdin.readSync(byte) === null) break;
    const character = decoder.decode(byte, { stream: true });
    if (character === "\n") break;
    line += character;
  }
  return line;
}

const CANCEL = "\u0003";
const ERASE: ReadonlySet<string> = new Set(["\u007f", "\b"]);

/** Waits for a line that the terminal does not show. */
function readHidden(): string {
  Deno.stdin.setRaw(true);
  try {
    const decoder = new TextDecoder();
    const byte = new Uint8Array(1);
    let line = "";
    while (line.length < MOST_BYTES) {
      if (Deno.stdin.readSync(byte) === null) break;
      const character = decoder.decode(byte, { stream: true });
      if (character === "\r" || character === "\n") break;
      if (character === CANCEL) throw new CommandFailure("Nothing was changed");
      line = ERASE.has(character) ? line.slice(0, -1) : line + character;
    }
    return line;
  } finally {
    Deno.stdin.setRaw(false);
    writeAll(Deno.stderr, "\n");
  }
}
