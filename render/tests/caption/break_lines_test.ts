/**
 * Where lines break, over characters of plain widths: 1 em for wide scripts, half an em for others.
 *
 * @module
 */

import assert from "node:assert/strict";
import { breakLines, type Line } from "../../caption/break_lines.ts";
import type { Cluster } from "../../caption/clusters.ts";
import { fitLines, type TextRoom } from "../../caption/fit_lines.ts";

const CASES: readonly { text: string; widthEm: number; lines: string[]; why: string }[] = [
  { why: "at spaces", text: "one two three", widthEm: 4, lines: ["one two", "three"] },
  { why: "exactly at the width", text: "four five", widthEm: 2, lines: ["four", "five"] },
  { why: "inside a word too wide", text: "abcdefg hi", widthEm: 2, lines: ["abcd", "efg", "hi"] },
  { why: "after a hyphen", text: "slow-motion", widthEm: 4, lines: ["slow-", "motion"] },
  { why: "anywhere in Chinese", text: "红色狐狸在雪", widthEm: 4, lines: ["红色狐狸", "在雪"] },
  { why: "not before a stop", text: "红色狐狸，在雪", widthEm: 4, lines: ["红色狐", "狸，在雪"] },
  { why: "not after a bracket", text: "红色狐「雪」", widthEm: 4, lines: ["红色狐", "「雪」"] },
  { why: "not before a small kana", text: "ゆっくり", widthEm: 1, lines: ["ゆ", "っ", "く", "り"] },
  { why: "not before a long mark", text: "ズズムー", widthEm: 3, lines: ["ズズ", "ムー"] },
  { why: "between words in Korean", text: "나는 고래와", widthEm: 4, lines: ["나는", "고래와"] },
  { why: "between scripts", text: "fox狐狸", widthEm: 2, lines: ["fox", "狐狸"] },
  { why: "without spaces at the ends", text: " a b ", widthEm: 0.5, lines: ["a", "b"] },
];

for (const { why, text, widthEm, lines } of CASES) {
  Deno.test(`breakLines() breaks ${why}`, () => {
    assert.deepEqual(breakLines(clustersOf(text), widthEm).map(textOf), lines);
  });
}

Deno.test("breakLines() stops after the lines that were asked for", () => {
  assert.deepEqual(breakLines(clustersOf("a b c d"), 0.5, 2).map(textOf), ["a", "b"]);
});

Deno.test("breakLines() loses nothing but spaces at line ends and is never wider", () => {
  const text =
    "The fox, slow-motion; 红色狐狸「雪」，ゆっくり 나는 고래와 (tail) antidisestablishment";
  for (let widthEm = 1; widthEm < 30; widthEm += 0.5) {
    const lines = breakLines(clustersOf(text), widthEm);
    assert.equal(lines.map(textOf).join("").replaceAll(" ", ""), text.replaceAll(" ", ""));
    for (const line of lines) assert.ok(line.width <= widthEm + 1e-6, textOf(line));
  }
});

const ROOM: TextRoom = { width: 200, lines: 2, largestType: 20, smallestType: 15 };

Deno.test("fitLines() uses the largest type that holds the text", () => {
  assert.equal(fit("one line").typeSize, 20);
  assert.equal(fit("a".repeat(41)).typeSize, 19);
  assert.equal(fit("a".repeat(400)).typeSize, 15);
});

Deno.test("fitLines() gives lines of about the same width", () => {
  const { lines } = fit("one two three four five");
  assert.deepEqual(lines.map(textOf), ["one two three", "four five"]);
});

Deno.test("fitLines() breaks no word for the sake of even lines", () => {
  const { lines } = fit("unbreakableword at it on");
  assert.deepEqual(lines.map(textOf), ["unbreakableword", "at it on"]);
});

Deno.test("fitLines() ends with an ellipsis what does not fit, inside the room", () => {
  const { lines, typeSize } = fit("alpha beta, ".repeat(20));
  assert.equal(lines.length, 2);
  assert.match(textOf(lines[1]!), /(alpha|beta)…$/);
  for (const line of lines) assert.ok(line.width * typeSize <= ROOM.width);
});

Deno.test("fitLines() ends with an ellipsis what was cut before, however little is left", () => {
  assert.equal(textOf(fit("iii", true).lines[0]!), "iii…");
  assert.doesNotMatch(textOf(fit("iii").lines[0]!), /…/);
});

function fit(text: string, isCut = false) {
  return fitLines(clustersOf(text), ROOM, { ellipsis: clustersOf("…")[0]!, isCut });
}

function clustersOf(text: string): Cluster[] {
  return [...text].map((character) => ({
    character,
    glyphs: [],
    advance: character > "\u2fff" ? 1 : 0.5,
  }));
}

function textOf({ clusters }: Line): string {
  return clusters.map(({ character }) => character).join("");
}
