/**
 * Sizes of videos: of their pictures, as requests, catalogues and upstreams write them, and of their files.
 *
 * @module
 */

/** Pixels. */
export interface VideoSize {
  readonly width: number;
  readonly height: number;
}

const SIZE = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/;

/** Reads `<width>x<height>`; `undefined` for anything else. */
export function readVideoSize(size: string): VideoSize | undefined {
  const [, width, height] = SIZE.exec(size) ?? [];
  if (width === undefined || height === undefined) return undefined;
  return { width: Number(width), height: Number(height) };
}

/** The largest film that is taken from an upstream: 2 GiB, hours of what such engines make. */
export const MAX_CONTENT_BYTES = 2 * 1024 ** 3;
