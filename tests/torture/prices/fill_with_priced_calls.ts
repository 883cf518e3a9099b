/**
 * Fills a database with calls whose amounts the oracle has computed.
 *
 * @module
 */

import { workOfTokens } from "../../../src/domain/work.ts";
import type { ClosedCall } from "../../../src/domain/call.ts";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import { oraclePrice } from "../books/price_oracle.ts";
import type { PricedRoute } from "./random_routes.ts";

const BATCH = 5_000;
/** The most that is ever stored. */
const MOST_E8 = 10n ** 18n - 1n;
/** A million of these in an hour are less than can be stored; more has an hour of its own. */
const HUGE_E8 = 10n ** 12n;
const SOME_HOUR = 1_700_000_000_000;
const HOURS_BEFORE = 400_000;
const HOUR_MS = 3_600_000;

/** Adds so many closed calls of an unlimited project, while no process has the data dir. */
export async function fillWithPricedCalls(
  dataDir: string,
  { cases, routes, random }: {
    readonly cases: number;
    readonly routes: readonly PricedRoute[];
    readonly random: SeededRandom;
  },
): Promise<void> {
  const storage = createSqliteStorage(`${dataDir}/tollgate.db`);
  try {
    const catalogue = await storage.catalogue.load();
    const versions = new Map(
      catalogue!.models.flatMap((model) => model.routes)
        .map(({ id, prices }) => [id, prices.version]),
    );
    const firstId = await storage.calls.lastCallId() + 1;
    for (let first = 0; first < cases; first += BATCH) {
      const length = Math.min(BATCH, cases - first);
      const entries = Array.from({ length }, (_, index) => ({
        kind: "close" as const,
        call: pricedCall(firstId + first + index, { routes, versions, random }),
      }));
      for (const result of await storage.commitBatch(entries)) {
        if (!result.ok) throw new Error(`Cannot fill the database: ${result.message}`);
      }
    }
    await storage.writeSums();
  } finally {
    await storage.close();
  }
}

function pricedCall(callId: number, { routes, versions, random }: {
  readonly routes: readonly PricedRoute[];
  readonly versions: ReadonlyMap<string, number>;
  readonly random: SeededRandom;
}): ClosedCall {
  for (;;) {
    const route = random.pick(routes);
    const usage = {
      promptTokens: randomCount(random),
      completionTokens: randomCount(random),
      // A part may be said to be more than its whole.
      cachedTokens: random.chance(0.5) ? randomCount(random) : 0,
      cacheWriteTokens: random.chance(0.3) ? randomCount(random) : 0,
      reasoningTokens: random.chance(0.4) ? randomCount(random) : 0,
    };
    const images = random.chance(0.2) ? random.integer(1, 20) : 0;
    const counts = Object.entries(usage).map(([name, count]) => [name, BigInt(count)]);
    const { cost, sale } = oraclePrice(route, {
      ...Object.fromEntries(counts),
      images: BigInt(images),
      videoSize: undefined,
      videoSeconds: 0n,
      videoPercent: 100n,
    });
    // What has no price is not stored.
    if (cost > MOST_E8 || sale > MOST_E8) continue;
    const isHuge = cost > HUGE_E8 || sale > HUGE_E8;
    const at = isHuge ? SOME_HOUR - (callId % HOURS_BEFORE) * HOUR_MS : SOME_HOUR;
    return {
      callId,
      requestId: `req_priced_${callId}`,
      projectId: "default",
      keyId: "key_priced",
      capability: "chat",
      model: route.model,
      provider: "remote",
      route: route.id,
      priceVersion: versions.get(route.id)!,
      heldE8: 0n,
      unlimited: true,
      stream: false,
      openedAt: at,
      state: "settled",
      result: "completed",
      closedAt: at + 100,
      firstByteMs: 10,
      attempts: 1,
      work: { ...workOfTokens(usage), image: images },
      usageSource: "reported",
      costE8: cost,
      saleE8: sale,
      chargedE8: 0n,
      lossE8: 0n,
      errorCode: undefined,
    };
  }
}

/** Small and large alike, and often a round number, so that halves come about. */
function randomCount(random: SeededRandom): number {
  const count = random.integer(0, 10 ** random.integer(0, 8));
  return random.chance(0.3) ? Math.round(count / 50) * 50 : count;
}
