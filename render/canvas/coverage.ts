/**
 * Turns outlines into how much of each pixel they cover, by exact signed areas: anti-aliased
 * edges, and spans of equal cover between them, so that a large shape costs little more than its
 * outline.
 *
 * @module
 */

/** The size of a plane in pixels. */
export interface PlaneSize {
  readonly width: number;
  readonly height: number;
}

/** Receives spans of pixels of one row, covered to `cover` (0 to 1). */
export interface SpanSink {
  span(row: number, from: number, to: number, cover: number): void;
}

/** Gathers edges, then hands out the spans they enclose; empty again afterwards. */
export class Coverage {
  readonly #width: number;
  readonly #height: number;
  /** Change of cover at each pixel against its left neighbour. */
  readonly #change: Float32Array;
  /** A bit per pixel of `#change` that was touched: finding the next one costs no walk. */
  readonly #touched: Int32Array;
  readonly #words: number;
  #firstRow: number;
  #lastRow = -1;
  #firstWord: number;
  #lastWord = -1;

  /** For pictures of up to `width` by `height` pixels. */
  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.#change = new Float32Array((width + 2) * height);
    this.#words = (width >> 5) + 1;
    this.#touched = new Int32Array(this.#words * height);
    this.#firstRow = height;
    this.#firstWord = this.#words;
  }

  /**
   * Adds an edge that runs downwards (`y0 < y1`) in the pixels of a plane, whose size shall be the
   * same until `emit`; `direction` is 1 or -1. Seven positions, since it is called for every edge.
   */
  edge(
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    direction: number,
    width: number,
    height: number,
  ): void {
    if (y1 <= 0 || y0 >= height || (x0 >= width && x1 >= width)) return;
    const slope = (x1 - x0) / (y1 - y0);
    let x = x0;
    if (y0 < 0) {
      x -= y0 * slope;
      y0 = 0;
    }
    const bottom = Math.min(height, y1);
    const firstRow = Math.floor(y0);
    const endRow = Math.ceil(bottom);
    if (firstRow < this.#firstRow) this.#firstRow = firstRow;
    if (endRow - 1 > this.#lastRow) this.#lastRow = endRow - 1;
    const firstWord = Math.max(0, Math.min(x0, x1)) >> 5;
    if (firstWord < this.#firstWord) this.#firstWord = firstWord;
    // An edge also touches the pixel after it.
    const lastWord = Math.min(width, Math.max(0, x0, x1) + 2) >> 5;
    if (lastWord > this.#lastWord) this.#lastWord = lastWord;
    const change = this.#change;
    const touched = this.#touched;
    const stride = this.#width + 2;
    const words = this.#words;
    for (let row = firstRow; row < endRow; row++) {
      const part = (row + 1 < bottom ? row + 1 : bottom) - (row > y0 ? row : y0);
      const next = x + slope * part;
      const column = Math.floor(x);
      if (column >= 0 && column + 1 < width && next >= column && next < column + 1) {
        // Nearly all rows of nearly all edges stay within one pixel.
        const beyond = (0.5 * (x + next) - column) * part * direction;
        const at = row * stride + column;
        change[at]! += part * direction - beyond;
        change[at + 1]! += beyond;
        const word = row * words;
        touched[word + (column >> 5)]! |= 1 << (column & 31);
        touched[word + (column + 1 >> 5)]! |= 1 << (column + 1 & 31);
      } else this.#addToRow(row, x, next, part * direction, width);
      x = next;
    }
  }

  /** Hands the spans to `sink`, top down and left to right, and forgets the edges. */
  emit(width: number, sink: SpanSink): void {
    const change = this.#change;
    const touched = this.#touched;
    const stride = this.#width + 2;
    const lastWord = Math.min(this.#lastWord, this.#words - 1);
    for (let row = this.#firstRow; row <= this.#lastRow; row++) {
      const base = row * stride;
      const wordBase = row * this.#words;
      let cover = 0;
      let from = 0;
      for (let word = this.#firstWord; word <= lastWord; word++) {
        let bits = touched[wordBase + word]!;
        if (bits === 0) continue;
        touched[wordBase + word] = 0;
        while (bits !== 0) {
          const x = (word << 5) + 31 - Math.clz32(bits & -bits);
          bits &= bits - 1;
          const share = cover < 0 ? -cover : cover;
          if (share > 0.004) sink.span(row, from, x, share > 1 ? 1 : share);
          cover += change[base + x]!;
          change[base + x] = 0;
          from = x;
        }
      }
      const share = cover < 0 ? -cover : cover;
      if (share > 0.004 && from < width) sink.span(row, from, width, share > 1 ? 1 : share);
    }
    this.#firstRow = this.#height;
    this.#lastRow = -1;
    this.#firstWord = this.#words;
    this.#lastWord = -1;
  }

  #add(row: number, x: number, amount: number): void {
    this.#change[row * (this.#width + 2) + x]! += amount;
    this.#touched[row * this.#words + (x >> 5)]! |= 1 << (x & 31);
  }

  #addToRow(row: number, xa: number, xb: number, amount: number, width: number): void {
    let left = xa < xb ? xa : xb;
    let right = xa < xb ? xb : xa;
    if (left >= width) return;
    if (right <= 0) return this.#add(row, 0, amount);
    if (left < 0) left = 0;
    if (right > width) right = width;
    const first = Math.floor(left);
    const end = Math.ceil(right);
    if (end <= first + 1) {
      const middle = 0.5 * (left + right) - first;
      this.#add(row, first, amount * (1 - middle));
      if (first + 1 < width) this.#add(row, first + 1, amount * middle);
      return;
    }
    const perPixel = 1 / (right - left);
    const inFirst = left - first;
    const firstArea = 0.5 * perPixel * (1 - inFirst) * (1 - inFirst);
    const inLast = right - end + 1;
    const lastArea = 0.5 * perPixel * inLast * inLast;
    this.#add(row, first, amount * firstArea);
    if (end === first + 2) {
      this.#add(row, first + 1, amount * (1 - firstArea - lastArea));
    } else {
      const second = perPixel * (1.5 - inFirst);
      this.#add(row, first + 1, amount * (second - firstArea));
      for (let x = first + 2; x < end - 1; x++) this.#add(row, x, amount * perPixel);
      const soFar = second + (end - first - 3) * perPixel;
      this.#add(row, end - 1, amount * (1 - soFar - lastArea));
    }
    if (end < width) this.#add(row, end, amount * lastArea);
  }
}
