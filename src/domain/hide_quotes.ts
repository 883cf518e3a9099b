/**
 * Takes what an upstream quotes of a caller's request out of its words, for the
 * log: vendors repeat the value that they refuse, and the log holds no prompt.
 *
 * @module
 */

/** Instead of what was quoted. */
const HIDDEN = "[quoted from the request]";
/** Shorter agreement is chance. */
const SHORTEST_QUOTE = 20;
/** Any quote has a whole piece of this length that begins at a multiple of it. */
const PIECE = SHORTEST_QUOTE / 2;
/** Characters of the request that are looked at: bounds the work on a huge one. */
const MOST_CHARACTERS = 256 * 1024;
const MOST_DEPTH = 64;
// deno-lint-ignore no-control-regex -- messages come with blanks in their place
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** The message without runs of 20 and more characters that are in a text of the request. */
export function hideQuotes(message: string, request: unknown): string {
  if (message.length < SHORTEST_QUOTE) return message;
  const text = readTexts(request);
  let shown = "";
  let from = 0;
  for (let at = 0; at + PIECE <= message.length; at += PIECE) {
    if (at < from || !text.includes(message.slice(at, at + PIECE))) continue;
    const quote = widest(message, { text, at, from });
    if (quote.end - quote.start < SHORTEST_QUOTE) continue;
    shown += message.slice(from, quote.start) + HIDDEN;
    from = quote.end;
  }
  return shown + message.slice(from);
}

/** The longest run around a piece that is in the text too. */
function widest(
  message: string,
  { text, at, from }: { readonly text: string; readonly at: number; readonly from: number },
): { readonly start: number; readonly end: number } {
  let [start, end] = [at, at + PIECE];
  while (end < message.length && text.includes(message.slice(start, end + 1))) end++;
  while (start > from && text.includes(message.slice(start - 1, end))) start--;
  return { start, end };
}

/** The strings of a JSON value one after the other, each as it is and, if that differs, as JSON has it. */
function readTexts(value: unknown): string {
  let text = "";
  function read(one: unknown, depth: number): void {
    if (text.length > MOST_CHARACTERS || depth > MOST_DEPTH) return;
    if (typeof one === "string") {
      const part = one.slice(0, MOST_CHARACTERS - text.length);
      const escaped = JSON.stringify(part).slice(1, -1);
      text += `${part.replace(CONTROL, " ")}\n`;
      if (escaped !== part) text += `${escaped}\n`;
    } else if (typeof one === "object" && one !== null) {
      for (const part of Object.values(one)) read(part, depth + 1);
    }
  }
  read(value, 0);
  return text;
}
