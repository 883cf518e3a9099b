/**
 * Chooses type size and line ends for a caption: as large as fits, then shortened with an ellipsis.
 *
 * @module
 */

import { breakLines, type Line, lineOf, widestWord } from "./break_lines.ts";
import type { Cluster } from "./clusters.ts";

/** The room for a caption's text. Lengths in pixels. */
export interface TextRoom {
  readonly width: number;
  readonly lines: number;
  readonly largestType: number;
  readonly smallestType: number;
}

/** Text with its place in lines. */
export interface FittedText {
  readonly lines: readonly Line[];
  /** Pixels per em. */
  readonly typeSize: number;
}

/**
 * Fits `clusters` into `room`, lines of about the same width.
 *
 * @param clusters at least one that is not a space
 * @param ellipsis ends what does not fit at the smallest size, and text that is cut (`isCut`) already
 */
export function fitLines(
  clusters: readonly Cluster[],
  room: TextRoom,
  { ellipsis, isCut }: { readonly ellipsis: Cluster; readonly isCut: boolean },
): FittedText {
  const { width, lines: most, largestType, smallestType } = room;
  for (let typeSize = largestType; typeSize >= smallestType && !isCut; typeSize--) {
    const widthEm = width / typeSize;
    const lines = breakLines(clusters, widthEm, most + 1);
    if (lines.length <= most) return { lines: balanced(clusters, lines, widthEm), typeSize };
  }
  const widthEm = width / smallestType;
  const lines = breakLines(clusters, widthEm, most);
  const last = lines.pop()!;
  return { lines: [...lines, shortened(last, ellipsis, widthEm)], typeSize: smallestType };
}

/** Lines as narrow as can be without a line more and without breaking a word. */
function balanced(clusters: readonly Cluster[], lines: Line[], widthEm: number): Line[] {
  const mean = lines.reduce((sum, line) => sum + line.width, 0) / lines.length;
  let narrow = Math.max(mean, widestWord(clusters));
  let wide = widthEm;
  let best = lines;
  while (lines.length > 1 && wide - narrow > 0.1) {
    const middle = (narrow + wide) / 2;
    const tried = breakLines(clusters, middle, lines.length + 1);
    if (tried.length <= lines.length) {
      best = tried;
      wide = middle;
    } else {
      narrow = middle;
    }
  }
  return best;
}

/** The start of `line` that leaves room for the ellipsis, without a space or comma before it. */
function shortened(line: Line, ellipsis: Cluster, widthEm: number): Line {
  const kept = [...line.clusters];
  const widthOf = () => kept.reduce((sum, { advance }) => sum + advance, ellipsis.advance);
  while (
    kept.length > 0 && (widthOf() > widthEm || /[\s,;:.、，。；：-]/.test(kept.at(-1)!.character))
  ) {
    kept.pop();
  }
  return lineOf([...kept, ellipsis]);
}
