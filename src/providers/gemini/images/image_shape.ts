/**
 * Sizes of images as Google's models know them: by a ratio and a class of sizes.
 *
 * @module
 */

import type { JsonObject } from "../../../domain/json_value.ts";
import { readVideoSize } from "../../../domain/video_size.ts";
import { refuseImage } from "./refuse_image.ts";

const RATIOS = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"];
/** What is said of a ratio is not exact to the pixel. */
const TOLERANCE = 0.02;
/** The longer side, up to which a class is meant. */
const CLASSES: readonly (readonly [number, string])[] = [[1_792, "1K"], [2_880, "2K"], [
  Infinity,
  "4K",
]];

/** What a size is there; nothing of one that the model chooses. */
export interface ImageShape {
  readonly aspectRatio?: string;
  /** Absent: the usual one. */
  readonly imageSize?: string;
}

/**
 * Reads `<width>x<height>`.
 *
 * @throws {UpstreamError} `caller`, of a ratio that there is not.
 */
export function shapeOf({ size }: Readonly<JsonObject>): ImageShape {
  if (typeof size !== "string" || size === "auto") return {};
  const read = readVideoSize(size);
  const ratio = read && RATIOS.find((one) => isNear(read.width / read.height, one));
  if (read === undefined || ratio === undefined) {
    throw refuseImage(
      "size",
      `Cannot make an image of '${size.slice(0, 32)}': its sides may be ${RATIOS.join(", ")}`,
    );
  }
  const longer = Math.max(read.width, read.height);
  const [, imageSize = "1K"] = CLASSES.find(([most]) => longer <= most) ?? [];
  return { aspectRatio: ratio, ...(imageSize !== "1K" && { imageSize }) };
}

function isNear(value: number, ratio: string): boolean {
  const [width, height] = ratio.split(":").map(Number) as [number, number];
  return Math.abs(value / (width / height) - 1) <= TOLERANCE;
}
