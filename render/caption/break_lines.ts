/**
 * Breaks text into lines of at most a given width.
 *
 * @module
 */

import type { Cluster } from "./clusters.ts";

/** One line, without spaces at its ends. */
export interface Line {
  readonly clusters: readonly Cluster[];
  /** In ems. */
  readonly width: number;
}

/** Stop marks, closing brackets, small kana and long marks: do not open a line. */
const NEVER_FIRST =
  /[!%),.:;?\]}°’”…‰、。〉》」』】〕〗〙〟！％），．：；？］｝～·・ー々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ]/;
/** Opening brackets and currency: do not close a line. */
const NEVER_LAST = /[(\[{‘“〈《「『【〔〖〘〝（［｛$£¥￥＄]/;
/** Written without spaces. Korean is not here: its readers expect whole words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]/u;
const HYPHEN = /[-‐–—]/;
/** Sums of advances are inexact. */
const TOLERANCE_EM = 1e-6;

/**
 * Fills lines one after the other: breaks at spaces, after hyphens, and between any two characters
 * of scripts without spaces; within a word only when it is wider than a line.
 *
 * @param widthEm width of a line, in ems
 * @param most stops after this many lines
 */
export function breakLines(clusters: readonly Cluster[], widthEm: number, most = Infinity): Line[] {
  const lines: Line[] = [];
  let from = 0;
  while (lines.length < most) {
    while (clusters[from]?.character === " ") from++;
    if (from >= clusters.length) break;
    const to = endOfLine(clusters, from, widthEm);
    lines.push(lineOf(clusters.slice(from, to)));
    from = to;
  }
  return lines;
}

/** A line of these clusters, less the spaces at its end. */
export function lineOf(clusters: readonly Cluster[]): Line {
  let end = clusters.length;
  while (end > 0 && clusters[end - 1]!.character === " ") end--;
  const kept = clusters.slice(0, end);
  return { clusters: kept, width: kept.reduce((sum, { advance }) => sum + advance, 0) };
}

/** Width in ems of the widest piece between two places where a line may break. */
export function widestWord(clusters: readonly Cluster[]): number {
  let widest = 0;
  let width = 0;
  clusters.forEach(({ character, advance }, i) => {
    if (i > 0 && mayBreak(clusters[i - 1]!.character, character)) width = 0;
    if (character !== " ") width += advance;
    widest = Math.max(widest, width);
  });
  return widest;
}

function endOfLine(clusters: readonly Cluster[], from: number, widthEm: number): number {
  let width = 0;
  let lastBreak = from;
  for (let i = from; i < clusters.length; i++) {
    const { character, advance } = clusters[i]!;
    if (i > from && mayBreak(clusters[i - 1]!.character, character)) lastBreak = i;
    width += advance;
    const isOver = width > widthEm + TOLERANCE_EM && character !== " ";
    if (isOver && i > from) return lastBreak > from ? lastBreak : i;
  }
  return clusters.length;
}

function mayBreak(before: string, after: string): boolean {
  if (after === " ") return false;
  if (before === " ") return true;
  if (NEVER_FIRST.test(after) || NEVER_LAST.test(before)) return false;
  return UNSPACED.test(before) || UNSPACED.test(after) || HYPHEN.test(before);
}
