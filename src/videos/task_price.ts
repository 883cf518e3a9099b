/**
 * What a task costs and sells for, by the prices that its hold was taken at.
 *
 * @module
 */

import type { OpenCall } from "../domain/call.ts";
import type { PriceVersion } from "../domain/price.ts";
import { NO_USAGE } from "../domain/usage.ts";
import type { PricedUsage } from "../pricing/price_usage.ts";
import { priceUsage } from "../pricing/price_usage.ts";
import type { CatalogueStore } from "../storage/ports/storage.ts";

/** Input images of a task: the one its film begins with, if any. */
export function imagesOf(
  { referenceType }: { readonly referenceType: string | undefined },
): number {
  return referenceType === undefined ? 0 : 1;
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
export function priceFilm(
  version: PriceVersion,
  { call, images, percent }: {
    readonly call: OpenCall;
    readonly images: number;
    readonly percent?: number | undefined;
  },
): PricedUsage {
  const { video } = call;
  const work = video === undefined || percent === undefined ? video : { ...video, percent };
  return priceUsage(version, NO_USAGE, images, work);
}
