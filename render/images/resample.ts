/**
 * Scales a picture: each pixel is the average of the area it covers where the picture shrinks, and
 * lies between its neighbours where it grows.
 *
 * @module
 */

/** A picture to read from. */
export interface PixelSource {
  readonly width: number;
  readonly height: number;
  /** Writes row `row` as three numbers, red, green and blue of 0 to 255, for each pixel. */
  readRow(row: number, rgb: Float32Array): void;
}

/** What part to take and what to make of it. */
export interface Resampling {
  /** In pixels of the source; fractions are allowed. */
  readonly crop: {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
  };
  readonly width: number;
  readonly height: number;
  /** Takes each row of the result, from the top; the array is used again. */
  writeRow(row: number, rgb: Float32Array): void;
}

/** The pixels of one axis that a pixel of the result is made of. */
interface Taps {
  readonly first: number;
  /** Adds up to 1. */
  readonly weights: readonly number[];
}

/** Calls `writeRow` for every row of the result. Only a few rows are held at a time. */
export function resample(source: PixelSource, result: Resampling): void {
  const { crop, width, height } = result;
  const columns = axisTaps(crop.left, crop.width, { size: source.width, count: width });
  const rows = axisTaps(crop.top, crop.height, { size: source.height, count: height });
  const input = new Float32Array(source.width * 3);
  const sum = new Float32Array(width * 3);
  // Neighbouring rows of the result share at most two rows of the source.
  const held = new Map<number, Float32Array>();
  const narrowRow = (row: number): Float32Array => {
    const known = held.get(row);
    if (known !== undefined) return known;
    source.readRow(row, input);
    const narrow = held.size < 2 ? new Float32Array(width * 3) : takeOldest(held);
    narrowInto(narrow, input, columns);
    held.set(row, narrow);
    return narrow;
  };
  rows.forEach(({ first, weights }, row) => {
    sum.fill(0);
    weights.forEach((weight, tap) => {
      const line = narrowRow(first + tap);
      for (let at = 0; at < sum.length; at++) sum[at]! += weight * line[at]!;
    });
    result.writeRow(row, sum);
  });
}

function narrowInto(narrow: Float32Array, input: Float32Array, columns: readonly Taps[]): void {
  for (let column = 0; column < columns.length; column++) {
    const { first, weights } = columns[column]!;
    let red = 0, green = 0, blue = 0;
    for (let tap = 0; tap < weights.length; tap++) {
      const weight = weights[tap]!;
      const at = (first + tap) * 3;
      red += weight * input[at]!;
      green += weight * input[at + 1]!;
      blue += weight * input[at + 2]!;
    }
    narrow[column * 3] = red;
    narrow[column * 3 + 1] = green;
    narrow[column * 3 + 2] = blue;
  }
}

function axisTaps(
  start: number,
  length: number,
  { size, count }: { readonly size: number; readonly count: number },
): Taps[] {
  const scale = length / count;
  // A pixel that grows is spread over a width of one source pixel, centred where it lies.
  const reach = Math.max(scale, 1);
  return Array.from({ length: count }, (_, index) => {
    const centre = start + (index + 0.5) * scale;
    const from = centre - reach / 2;
    const to = centre + reach / 2;
    const first = clamp(Math.floor(from), size);
    const last = clamp(Math.ceil(to) - 1, size);
    const weights = Array.from({ length: last - first + 1 }, (_, tap) => {
      const pixel = first + tap;
      // What lies beyond an edge counts as the edge.
      const left = pixel === 0 ? from : Math.max(from, pixel);
      const right = pixel === size - 1 ? to : Math.min(to, pixel + 1);
      return Math.max(0, right - left) / reach;
    });
    return { first, weights };
  });
}

function clamp(pixel: number, size: number): number {
  return Math.min(Math.max(pixel, 0), size - 1);
}

function takeOldest(held: Map<number, Float32Array>): Float32Array {
  const [row, line] = held.entries().next().value!;
  held.delete(row);
  return line;
}
