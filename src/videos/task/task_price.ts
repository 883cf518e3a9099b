/**
 * What a task costs and sells for, by the prices that its hold was taken at.
 *
 * @module
 */

import { boughtBy, type OpenCall } from "../../domain/call.ts";
import type { PriceVersion } from "../../domain/price.ts";
import { NO_WORK, type Work } from "../../domain/work.ts";
import { type PricedWork, priceWork } from "../../pricing/price_work.ts";
import type { CatalogueStore } from "../../storage/ports/storage.ts";

/** What a task buys besides its film: the image that it begins with, if any. */
export function workBeside(
  { referenceType }: { readonly referenceType: string | undefined },
): Work {
  return referenceType === undefined ? NO_WORK : { image: 1 };
}

/**
 * The price version on a film's call: today's prices may be others.
 *
 * @throws {Error} When storage has lost the version.
 */
export async function pricesOf(
  prices: Pick<CatalogueStore, "priceVersions">,
  call: OpenCall,
): Promise<PriceVersion> {
  const [version] = await prices.priceVersions([call.priceVersion]);
  if (version !== undefined) return version;
  throw new Error(`Cannot price call ${call.callId}: there is no version ${call.priceVersion}`);
}

/** The price of a film, or of so many percent of it. */
export function priceVideo(
  version: PriceVersion,
  { call, work, percent }: {
    readonly call: OpenCall;
    readonly work: Work;
    readonly percent?: number | undefined;
  },
): PricedWork {
  const { video, terms } = call;
  const film = video === undefined || percent === undefined ? video : { ...video, percent };
  return priceWork(version, boughtBy({ work, video: film, terms }));
}
