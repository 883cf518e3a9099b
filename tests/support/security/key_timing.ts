/**
 * Whether the time of looking a key up tells how much of it is right (vLLM
 * CVE-2025-59425): Welch's t between guesses that are nearly right and guesses that are
 * wholly wrong.
 *
 * @module
 */

import { KeyDirectory } from "../../../src/accounts/key_directory.ts";
import { makeKey } from "../../../src/accounts/project_key.ts";
import type { Project, ProjectKey } from "../../../src/domain/account.ts";
import type { SeededRandom } from "../seeded_random.ts";

/** Part of the slowest samples that is left out: what else the machine did. */
const CROPPED = 0.02;
const KEYS = 1_000;

/** A project whose keys are looked up. */
export const TIMED_PROJECT: Project = {
  id: "timed",
  unlimited: true,
  models: ["*"],
  limits: {},
  budgets: {},
  quotas: {},
  disabled: false,
  createdAt: 0,
};

/** A key of a project, as it is stored. */
export function storedKey(
  { key, hash, prefix }: ReturnType<typeof makeKey>,
  projectId: string,
): ProjectKey {
  return {
    id: `key_${key.slice(-12)}`,
    projectId,
    name: "",
    prefix,
    hash,
    models: undefined,
    limits: {},
    budgets: {},
    expiresAt: undefined,
    disabled: false,
    createdAt: 0,
  };
}

/** Welch's t of so many samples of each kind; beyond 4.5 either way time tells. */
export function keyTimingT({ samples, random }: {
  readonly samples: number;
  readonly random: SeededRandom;
}): number {
  const keys = Array.from({ length: KEYS }, makeKey);
  const directory = new KeyDirectory(
    [TIMED_PROJECT],
    keys.map((key) => storedKey(key, TIMED_PROJECT.id)),
  );
  // Made before anything is timed, so that making them leaves nothing behind in the machine's caches.
  const guesses = Array.from({ length: Math.ceil(samples * 2.2) }, () => {
    const isNear = random.chance(0.5);
    // No guess comes twice, of either kind: what was seen before is quicker.
    const [known, unknown] = [random.pick(keys).key, makeKey().key];
    return {
      isNear,
      text: [...(isNear ? known : unknown).slice(0, -6), ...unknown.slice(-6)].join(""),
    };
  });
  const times = { near: [] as number[], far: [] as number[] };
  // The first ones only warm up.
  const firstTimed = guesses.length - samples * 2;
  for (const [at, { isNear, text }] of guesses.entries()) {
    const from = performance.now();
    directory.resolve(text, 0);
    const took = performance.now() - from;
    if (at >= firstTimed) times[isNear ? "near" : "far"].push(took);
  }
  return welchT(cropped(times.near), cropped(times.far));
}

/** Welch's t: the difference of the means over its standard error. */
export function welchT(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [one, other].map((values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return { mean, error: squares / (values.length - 1) / values.length };
  }) as [{ mean: number; error: number }, { mean: number; error: number }];
  return (a.mean - b.mean) / Math.sqrt(a.error + b.error);
}

function cropped(values: readonly number[]): readonly number[] {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.slice(0, Math.floor(sorted.length * (1 - CROPPED)));
}
