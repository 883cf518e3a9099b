/**
 * What a task costs and sells for, by the prices that its hold was taken at.
 *
 * @module
 */

import type { OpenCall } from "../domain/call.ts";
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
 * The price of a whole film, by the version on its call: today's prices may be
 * others.
 *
 * @throws {Error} When storage has lost the version.
 */
export async function priceTask(
  prices: Pick<CatalogueStore, "priceVersions">,
  { call, images }: { readonly call: OpenCall; readonly images: number },
): Promise<PricedUsage> {
  const [version] = await prices.priceVersions([call.priceVersion]);
  if (version === undefined) {
    throw new Error(`Cannot price call ${call.callId}: there is no version ${call.priceVersion}`);
  }
  return priceUsage(version, NO_USAGE, images, call.video);
}
