/**
 * Takes out of a text what differs from one gateway to the other by chance: names that were made, and
 * when it was.
 *
 * @module
 */

const MASKS: readonly (readonly [pattern: RegExp, mask: string])[] = [
  [/^date: .*$/gim, "date: …"],
  [/127\.0\.0\.1:\d+/g, "address"],
  [/\breq_[a-z2-7]{26}/g, "req_…"],
  [/\bkey_[a-z2-7]{12}/g, "key_…"],
  [/\bchatcmpl-[A-Za-z0-9]{24}/g, "chatcmpl-…"],
  // What the tests' own upstreams say is older.
  [/"created":17[1-9]\d{7}/g, '"created":…'],
  [/\bsk-tg-\w+/g, "sk-tg-…"],
  [/("(?:callId|openedAt|closedAt|at|firstByteMs|first_byte_ms|ms)":)\d+/g, "$1…"],
  [/"time":"[^"]*"/g, '"time":"…"'],
  [/^(x-ratelimit-reset-\w+|retry-after): .*$/gim, "$1: …"],
  [/\bin \d+ s\b/g, "in … s"],
  // Timers look at clocks of their own.
  [/\b(?:complete|send more) within \d+ ms\b/g, "go on within … ms"],
  [/\b\d+ seconds?\b/g, "… seconds"],
];

export function masked(text: string): string {
  let shown = text;
  for (const [pattern, mask] of MASKS) shown = shown.replace(pattern, mask);
  return shown;
}
