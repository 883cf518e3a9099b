/**
 * A set of call ids that costs a bit per id: ids rise without large gaps.
 *
 * @module
 */

const IDS_PER_BLOCK = 65_536;

/** Remembers which calls were met. */
export class CallSet {
  readonly #blocks = new Map<number, Uint8Array>();

  /** Adds an id; answers whether it is new. */
  add(callId: number): boolean {
    const number = Math.floor(callId / IDS_PER_BLOCK);
    let block = this.#blocks.get(number);
    if (block === undefined) {
      block = new Uint8Array(IDS_PER_BLOCK / 8);
      this.#blocks.set(number, block);
    }
    const { byte, bit } = placeOf(callId);
    const isNew = (block[byte]! & bit) === 0;
    block[byte]! |= bit;
    return isNew;
  }

  has(callId: number): boolean {
    const block = this.#blocks.get(Math.floor(callId / IDS_PER_BLOCK));
    if (block === undefined) return false;
    const { byte, bit } = placeOf(callId);
    return (block[byte]! & bit) !== 0;
  }
}

function placeOf(callId: number): { byte: number; bit: number } {
  const index = callId % IDS_PER_BLOCK;
  return { byte: index >> 3, bit: 1 << (index & 7) };
}
