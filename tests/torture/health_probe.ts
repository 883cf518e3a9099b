/**
 * Asks `/healthz` again and again, as a load balancer does, and measures what it takes.
 *
 * @module
 */

const EVERY_MS = 20;

/** Under way until `end` is called. */
export interface HealthProbe {
  /** Milliseconds of each answer; requests that were not answered are in `failed`. */
  end(): Promise<{ readonly milliseconds: readonly number[]; readonly failed: number }>;
}

/** Begins to ask. */
export function probeHealth(baseUrl: string): HealthProbe {
  const milliseconds: number[] = [];
  let failed = 0;
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      try {
        const { ok, body } = await fetch(`${baseUrl}/healthz`);
        await body?.cancel();
        if (!ok) failed++;
        milliseconds.push(performance.now() - startedAt);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        failed++;
      }
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  })();
  return {
    async end() {
      isOver = true;
      await asking;
      return { milliseconds, failed };
    },
  };
}
