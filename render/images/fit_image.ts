/**
 * Makes a frame of a film from a picture of any size.
 *
 * @module
 */

import { createFrame, type Frame } from "../frame.ts";
import { chromaOf, lumaOf } from "./bt709.ts";
import type { Picture } from "./picture.ts";
import { type PixelSource, resample } from "./resample.ts";

/**
 * The picture as a frame that it fills: what is too wide or too high is cut off evenly at both
 * sides. What is transparent lies on black, the colour of an empty screen.
 */
export function fitImage(
  picture: Picture,
  film: { readonly width: number; readonly height: number },
): Frame {
  const frame = createFrame(film.width, film.height);
  const even = new Float32Array(film.width * 3);
  resample(onBlack(picture), {
    crop: coverCrop(picture, film),
    width: film.width,
    height: film.height,
    writeRow(row, rgb) {
      writeLuma(frame, { row, rgb });
      if (row % 2 === 0) even.set(rgb);
      else writeChroma(frame, { row: (row - 1) / 2, upper: even, lower: rgb });
    },
  });
  return frame;
}

type Sides = { readonly width: number; readonly height: number };

/** The largest part in the middle of the picture that has the film's proportions. */
function coverCrop(picture: Sides, film: Sides) {
  const scale = Math.min(picture.width / film.width, picture.height / film.height);
  const width = film.width * scale;
  const height = film.height * scale;
  return {
    left: (picture.width - width) / 2,
    top: (picture.height - height) / 2,
    width,
    height,
  };
}

function onBlack({ width, height, rgba }: Picture): PixelSource {
  return {
    width,
    height,
    readRow(row, rgb) {
      for (let column = 0, at = row * width * 4; column < width; column++, at += 4) {
        const opacity = rgba[at + 3]! / 255;
        rgb[column * 3] = rgba[at]! * opacity;
        rgb[column * 3 + 1] = rgba[at + 1]! * opacity;
        rgb[column * 3 + 2] = rgba[at + 2]! * opacity;
      }
    },
  };
}

function writeLuma(
  frame: Frame,
  { row, rgb }: { readonly row: number; readonly rgb: Float32Array },
): void {
  for (let column = 0; column < frame.width; column++) {
    const at = column * 3;
    frame.y[row * frame.width + column] = lumaOf(rgb[at]!, rgb[at + 1]!, rgb[at + 2]!) + 0.5;
  }
}

/** One sample of chroma stands for two rows and two columns. */
function writeChroma(
  frame: Frame,
  { row, upper, lower }: {
    readonly row: number;
    readonly upper: Float32Array;
    readonly lower: Float32Array;
  },
): void {
  const width = frame.width / 2;
  for (let column = 0; column < width; column++) {
    const mean = (part: number) => {
      const at = column * 6 + part;
      return (upper[at]! + upper[at + 3]! + lower[at]! + lower[at + 3]!) / 4;
    };
    const [u, v] = chromaOf(mean(0), mean(1), mean(2));
    frame.u[row * width + column] = u + 0.5;
    frame.v[row * width + column] = v + 0.5;
  }
}
