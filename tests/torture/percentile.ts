/**
 * Figures of many samples.
 *
 * @module
 */

/** The sample that a share of all is at most: 0.99 for p99. 0 when there are none. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
