/**
 * Asks whoever sits at the terminal.
 *
 * @module
 */

const YES = /^\s*y(es)?\s*$/i;
const MOST_BYTES = 1_024;

/** Whether somebody can be asked: both ends of the conversation are a terminal. */
export function canAsk(): boolean {
  return Deno.stdin.isTerminal() && Deno.stderr.isTerminal();
}

/** Waits for a line; anything but a yes is a no. */
export function answersYes(): boolean {
  const decoder = new TextDecoder();
  const byte = new Uint8Array(1);
  let line = "";
  while (line.length < MOST_BYTES) {
    if (Deno.stdin.readSync(byte) === null) break;
    const character = decoder.decode(byte, { stream: true });
    if (character === "\n") break;
    line += character;
  }
  return YES.test(line);
}
