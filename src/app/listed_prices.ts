/**
 * The prices of wildcards at start: the program's list may be another than when they were stored.
 *
 * @module
 */

import { accept } from "../admin/base/commit_change.ts";
import type { PriceBook } from "../catalog/price_book.ts";
import { isWildcard } from "../catalog/wildcard.ts";
import type { Catalogue } from "../domain/catalogue.ts";
import type { Clock } from "../domain/clock.ts";
import type { CommitQueue } from "../storage/ports/commit_queue.ts";

/** The catalogue, stored anew where its wildcards cost something else by the list as it is now. */
export async function withListedPrices(
  catalogue: Catalogue,
  { prices, commits, clock }: {
    readonly prices: PriceBook;
    readonly commits: Pick<CommitQueue, "commit">;
    readonly clock: Clock;
  },
): Promise<Catalogue> {
  if (!catalogue.models.some(({ id }) => isWildcard(id))) return catalogue;
  const [{ asWritten }, { sameTablePrices, withTablePrices }] = await Promise.all([
    import("../catalog/difference.ts"),
    import("../catalog/table_prices.ts"),
  ]);
  const listed = withTablePrices(catalogue, await prices.current());
  if (sameTablePrices(catalogue, listed)) return catalogue;
  const written = asWritten(listed);
  const stored = await commits.commit({
    kind: "write_catalogue",
    catalogue: written,
    at: clock.now(),
  });
  return accept(stored).catalogue ?? written;
}
