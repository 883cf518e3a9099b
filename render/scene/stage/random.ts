/**
 * Numbers that look random and are the same for the same seed: no state, so that any cell of an
 * endless landscape can be asked for.
 *
 * @module
 */

/** 0 to 1 (excluded) for a seed and two integers. */
export function randomAt(seed: number, i: number, j = 0): number {
  let hash = Math.imul(seed ^ Math.imul(i, 0x27d4eb2d), 0x85ebca6b) ^ Math.imul(j + 1, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 4294967296;
}

/** A smooth curve through random heights 0 to 1, one per whole `x`. */
export function noiseAt(seed: number, x: number): number {
  const cell = Math.floor(x);
  const part = x - cell;
  const blend = part * part * (3 - 2 * part);
  const from = randomAt(seed, cell);
  return from + (randomAt(seed, cell + 1) - from) * blend;
}

/** `noiseAt` with finer copies of itself added, 0 to 1. */
export function roughNoiseAt(seed: number, x: number, octaves = 4): number {
  let sum = 0;
  let weight = 0;
  let share = 1;
  for (let octave = 0; octave < octaves; octave++) {
    sum += noiseAt(seed + octave * 101, x) * share;
    weight += share;
    share *= 0.5;
    x *= 2.03;
  }
  return sum / weight;
}
