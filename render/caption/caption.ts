/**
 * The prompt as a caption: light type on a darkened band at the bottom of the picture.
 *
 * @module
 */

import type { Frame } from "../frame.ts";
import { type BandPlanes, bandPlanes, blend } from "./band_planes.ts";
import type { CaptionFont } from "./caption_font.ts";
import { ABOVE_EM, ASCENT_EM, captionLayout, LINE_EM } from "./caption_layout.ts";
import { captionText } from "./caption_text.ts";
import { readClusters } from "./clusters.ts";
import { fitLines } from "./fit_lines.ts";
import { openGlyphs } from "./glyph_source.ts";
import { typeMask } from "./type_mask.ts";

/** A finished caption for frames of one size. */
export interface Caption {
  /**
   * Lays the caption over the frame's picture; changes nothing when there is nothing to read.
   *
   * @throws {RangeError} when the frame has another size than the caption was made for
   */
  draw(frame: Frame): void;
}

/**
 * Sets `text` for frames of `size`, even pixels. Text and size alone decide the result.
 *
 * The largest type that holds the text in two lines (four in an upright picture) is used, down to
 * three quarters of the usual size; what is still too long ends with an ellipsis. Control characters
 * and line ends become spaces, emoji are left out, and letters that the fonts lack are boxes; a text
 * of nothing else has no caption and no band.
 */
export function createCaption(
  text: string,
  size: { readonly width: number; readonly height: number },
  font: CaptionFont,
): Caption {
  const planes = setCaption(text, size, font);
  return {
    draw(frame) {
      if (frame.width !== size.width || frame.height !== size.height) {
        throw new RangeError(
          `Cannot draw a caption for ${size.width}x${size.height} on a frame of ` +
            `${frame.width}x${frame.height}: create one for that size`,
        );
      }
      if (planes !== undefined) blend(planes, frame);
    },
  };
}

function setCaption(
  prompt: string,
  size: { readonly width: number; readonly height: number },
  font: CaptionFont,
): BandPlanes | undefined {
  const { text, isCut } = captionText(prompt);
  const isJapanese = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text);
  const source = openGlyphs(font, isJapanese);
  const clusters = readClusters(text, source);
  if (clusters.length === 0) return undefined;

  const layout = captionLayout(size);
  const ellipsis = readClusters("…", source)[0]!;
  const fitted = fitLines(clusters, layout.room, { ellipsis, isCut });
  const { typeSize, lines } = fitted;
  const height = layout.bandHeight(lines.length, typeSize);
  const mask = typeMask(fitted, {
    width: size.width,
    height,
    firstBaseline: (ABOVE_EM + ASCENT_EM) * typeSize,
    lineHeight: LINE_EM * typeSize,
  });
  return bandPlanes(mask, { width: size.width, height, fade: Math.round(ABOVE_EM * typeSize) });
}
