/**
 * A text as a vector, by feature hashing (Weinberger et al., "Feature Hashing
 * for Large Scale Multitask Learning", 2009): each feature adds its weight, with
 * a sign of its own, to places that its hash names.
 *
 * @module
 */

import { eachFeature, eachTokenFeature } from "./features.ts";

/** Each feature goes to so many places: a clash of two in one is then no clash of both. */
const PLACES = 2;
const FEATURES_PER_STEP = 1_000;

/**
 * Makes a vector of unit length, the same for the same input on every machine; all
 * zeros but one for an input without any feature, or whose features undo each other.
 * Between two steps, of less than a millisecond each, others may have their turn.
 */
export function* hashSteps(
  input: string | readonly number[],
  dimensions: number,
): Generator<void, Float32Array> {
  const weights = new Map<string, number>();
  const add = (feature: string, weight: number) =>
    void weights.set(feature, (weights.get(feature) ?? 0) + weight);
  yield* typeof input === "string" ? eachFeature(input, add) : eachTokenFeature(input, add);

  const vector = new Float64Array(dimensions);
  let left = FEATURES_PER_STEP;
  for (const [feature, weight] of weights) {
    if (left-- === 0) {
      yield;
      left = FEATURES_PER_STEP;
    }
    // What is said twice is not twice as much of it.
    const value = Math.sqrt(weight);
    for (let place = 0; place < PLACES; place++) {
      const hash = hashOf(feature, place);
      const index = hash % dimensions;
      vector[index] = vector[index]! + ((hash & 0x8000_0000) === 0 ? value : -value);
    }
  }
  return unit(vector);
}

/** 32 bits of FNV-1a, mixed as MurmurHash3 ends, with a seed for each place. */
function hashOf(feature: string, seed: number): number {
  let hash = 0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1);
  for (let index = 0; index < feature.length; index++) {
    hash = Math.imul(hash ^ feature.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function unit(vector: Float64Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum === 0) {
    vector[0] = 1;
    sum = 1;
  }
  const length = Math.sqrt(sum);
  return Float32Array.from(vector, (value) => value / length);
}
