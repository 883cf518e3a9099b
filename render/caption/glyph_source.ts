/**
 * Finds the glyph of a character in the first of several fonts that has it.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { create } from "fontkitten";
import type { CaptionFont } from "./caption_font.ts";

/** A step of an outline in font units, y upwards, its coordinates in `args`. */
export interface OutlineStep {
  readonly command: "moveTo" | "lineTo" | "quadraticCurveTo" | "bezierCurveTo" | "closePath";
  readonly args: readonly number[];
}

/** The shape of a character. */
export interface Glyph {
  /** How far the pen moves on, in ems. */
  readonly advance: number;
  /** Font units in an em. */
  readonly unitsPerEm: number;
  /** The closed outline; parsed when it is asked for. */
  readonly outline: readonly OutlineStep[];
}

/** Where glyphs come from. */
export interface GlyphSource {
  /** The glyph of a code point; `undefined` if no font has it. */
  find(codePoint: number): Glyph | undefined;
  /** An empty box: stands for a letter that no font has. */
  readonly box: Glyph;
}

/** Opens the fonts for one caption; `isJapanese` prefers Japanese forms of Han characters. */
export function openGlyphs(font: CaptionFont, isJapanese: boolean): GlyphSource {
  const european = openFace(font.european);
  const cjk = openFace(font.cjk);
  const faces = isJapanese ? [european, openFace(font.japanese), cjk] : [european, cjk];
  return {
    find(codePoint) {
      const face = faces.find((each) => each.hasGlyphForCodePoint(codePoint));
      return face && new FaceGlyph(face, face.glyphForCodePoint(codePoint));
    },
    box: new FaceGlyph(european, european.getGlyph(0)),
  };
}

type Face = Extract<ReturnType<typeof create>, { isCollection: false }>;

function openFace(bytes: Uint8Array<ArrayBuffer>): Face {
  const face = create(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (face.isCollection) {
    throw new TypeError("Cannot set captions in a font collection: name a font");
  }
  return face;
}

class FaceGlyph implements Glyph {
  readonly advance: number;
  readonly unitsPerEm: number;
  readonly #glyph: ReturnType<Face["getGlyph"]>;

  constructor(face: Face, glyph: ReturnType<Face["getGlyph"]>) {
    this.unitsPerEm = face.unitsPerEm;
    this.advance = glyph.advanceWidth / face.unitsPerEm;
    this.#glyph = glyph;
  }

  get outline(): readonly OutlineStep[] {
    return this.#glyph.path.commands;
  }
}
