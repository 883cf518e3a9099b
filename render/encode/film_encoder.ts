/**
 * Encodes pictures as an H.264 film in an MP4 file that a browser plays while it loads.
 *
 * @module
 */

import * as H264 from "h264-mp4-encoder";
import type { Frame } from "../frame.ts";
import { fastStart } from "./fast_start.ts";
import { labelFilm } from "./label_film.ts";

/** A film while it is made. */
export interface FilmEncoder {
  /**
   * Appends a picture.
   *
   * @throws {RangeError} when it is not of the film's size.
   */
  add(frame: Frame): void;
  /** Ends the film: the whole MP4 file. The encoder is closed then. */
  finish(): Uint8Array<ArrayBuffer>;
  /** Gives the encoder's memory back; a film that is not finished is lost. */
  close(): void;
}

/** What is fixed for the whole film. */
export interface FilmShape {
  /** Pixels, even. */
  readonly width: number;
  /** Pixels, even. */
  readonly height: number;
  readonly framesPerSecond: number;
}

/**
 * 0 is the smallest file, 10 the fastest: three times as fast as 0 for a tenth more bytes, and no
 * difference that one sees in drawn pictures.
 */
const SPEED = 10;

/** 10 is the best picture, 51 the smallest file. From 26 on, a sky's slope of colour shows blocks. */
const QUANTIZATION = 22;

/** A key frame each second, so that a player can seek. */
const SECONDS_PER_KEY_FRAME = 1;

/** Prepares to encode a film; one that is not finished must be closed. */
export async function createFilmEncoder(film: FilmShape): Promise<FilmEncoder> {
  const encoder = await library().createH264MP4Encoder();
  encoder.width = film.width;
  encoder.height = film.height;
  encoder.frameRate = film.framesPerSecond;
  encoder.speed = SPEED;
  encoder.quantizationParameter = QUANTIZATION;
  encoder.groupOfPictures = film.framesPerSecond * SECONDS_PER_KEY_FRAME;
  // All encoders of a thread share one file system in memory.
  encoder.outputFilename = crypto.randomUUID();
  encoder.initialize();
  let isOpen = true;

  /** Also when the film is unwanted: the library aborts if an encoder ends without a last frame. */
  function end(): Uint8Array {
    isOpen = false;
    encoder.finalize();
    const { FS, outputFilename } = encoder;
    const file = FS.readFile(outputFilename);
    FS.unlink(outputFilename);
    encoder.delete();
    return file;
  }
  return {
    add(frame) {
      if (frame.width !== film.width || frame.height !== film.height) {
        throw new RangeError(
          `Cannot add a frame of ${frame.width}x${frame.height} to a film of ${film.width}x${film.height}`,
        );
      }
      encoder.addFrameYuv(frame.data);
    },
    finish: () => fastStart(labelFilm(end())),
    close() {
      if (isOpen) end();
    },
  };
}

/** The bundler and the runtime disagree on what a CommonJS package's names are. */
function library(): Pick<typeof H264, "createH264MP4Encoder"> {
  const { default: inner } = H264 as unknown as { default?: typeof H264 };
  return "createH264MP4Encoder" in H264 ? H264 : inner!;
}
