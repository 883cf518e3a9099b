/**
 * Values that programs stumble over.
 *
 * @module
 */

import type { SeededRandom } from "../../support/seeded_random.ts";

const TEXTS: readonly string[] = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udfff tail",
  "\ufeff",
  "\u202e\u2066right to left",
  "e\u0301".repeat(40),
  "👩‍👩‍👧‍👦",
  "\r\nX-Injected: 1",
  "../../../../etc/passwd",
  "%00%2e%2e%2f",
  "'; DROP TABLE calls; --",
  "${7*7}{{7*7}}",
  "<script>alert(1)</script>",
  "null",
  "true",
  "NaN",
  "-1",
  "1e309",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "data:image/png;base64,AAAA",
  "data:image/png;base64,%%%",
  "http://127.0.0.1:1/",
  "file:///etc/passwd",
  "[DONE]",
  "data: {}\n\n",
  "\u2028\u2029",
  "\x1b[31m",
];
const NUMBERS: readonly number[] = [
  0,
  -0,
  1,
  -1,
  0.1,
  1e-320,
  1e21,
  1.7976931348623157e308,
  -1.7976931348623157e308,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  -(2 ** 63),
  100_000_001,
];

/** A text that is odd, now and then a long one. */
export function oddText(random: SeededRandom): string {
  if (random.chance(0.05)) return random.pick(TEXTS).repeat(random.integer(100, 3_000));
  if (random.chance(0.2)) return noise(random, random.integer(1, 60));
  return random.pick(TEXTS);
}

/** Characters of all planes, lone surrogates among them. */
export function noise(random: SeededRandom, length: number): string {
  return Array.from(
    { length },
    () =>
      String.fromCharCode(random.chance(0.5) ? random.integer(0, 127) : random.integer(0, 65_535)),
  ).join("");
}

/** A number that is odd. */
export function oddNumber(random: SeededRandom): number {
  return random.pick(NUMBERS);
}

/** Any JSON value, a few levels deep. */
export function oddValue(random: SeededRandom, depth = 3): unknown {
  switch (random.integer(0, depth > 0 ? 6 : 3)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return oddNumber(random);
    case 3:
      return oddText(random);
    case 4:
      return Array.from(
        { length: random.integer(0, 4) },
        () => oddValue(random, depth - 1),
      );
    case 5:
      return Object.fromEntries(
        Array.from(
          { length: random.integer(0, 4) },
          () => [oddText(random).slice(0, 80), oddValue(random, depth - 1)],
        ),
      );
    default:
      return nested(random.pick([5, 50, 199, 201, 1_000]));
  }
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}
