/**
 * Turns text into what can stand alone in a line: a character with the marks on it, and its glyphs.
 *
 * @module
 */

import type { Glyph, GlyphSource } from "./glyph_source.ts";

/** A character with its combining marks. */
export interface Cluster {
  /** The character itself, without its marks. */
  readonly character: string;
  /** The character's glyph and those of its marks. */
  readonly glyphs: readonly Glyph[];
  /** Width of all of them, in ems. */
  readonly advance: number;
}

/**
 * The clusters of `text`, runs of spaces as one. Where no font has a glyph, a letter or digit is
 * shown as a box (scripts such as Arabic or Thai, which need shaping); marks and symbols are left
 * out. Empty when there would be nothing but boxes: they tell a reader nothing.
 */
export function readClusters(text: string, source: GlyphSource): Cluster[] {
  const clusters: Cluster[] = [];
  let isReadable = false;
  for (const character of text) {
    const found = source.find(character.codePointAt(0)!);
    const glyph = found ?? (/[\p{L}\p{N}]/u.test(character) ? source.box : undefined);
    const before = clusters.at(-1);
    if (glyph === undefined || (character === " " && before?.character === " ")) continue;
    if (/\p{M}/u.test(character)) {
      if (before !== undefined) clusters[clusters.length - 1] = withMark(before, glyph);
      continue;
    }
    if (found !== undefined && character !== " ") isReadable = true;
    clusters.push({ character, glyphs: [glyph], advance: glyph.advance });
  }
  return isReadable ? clusters : [];
}

function withMark(cluster: Cluster, mark: Glyph): Cluster {
  return {
    character: cluster.character,
    glyphs: [...cluster.glyphs, mark],
    advance: cluster.advance + mark.advance,
  };
}
