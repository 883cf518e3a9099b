/**
 * What films that are not finished may cost, of projects that hold nothing for them.
 *
 * @module
 */

import type { SpendBook } from "../accounts/spend_book.ts";
import type { SpendReserve } from "../accounts/spend_reserve.ts";
import { isOpen } from "../domain/video_task.ts";
import { videoAsked } from "../planning/facts_of_video.ts";
import { quoteHold } from "../pricing/quote.ts";
import type { CatalogueStore } from "../storage/ports/storage.ts";
import type { TaskBook } from "../videos/task/task_book.ts";

/** Where films are, and what they cost. */
export interface ReserveVideosDeps {
  readonly book: TaskBook;
  readonly spending: SpendBook;
  readonly prices: Pick<CatalogueStore, "priceVersions">;
}

/**
 * Counts the open films of unlimited projects, which an earlier process took, against
 * budgets until they end. Films of projects that pay count by their holds.
 */
export async function reserveVideos({ book, spending, prices }: ReserveVideosDeps): Promise<void> {
  const films = [...book.openTasks()].flatMap((task) => {
    const call = book.callOf(task.id);
    return call?.unlimited === true ? [{ task, call }] : [];
  });
  if (films.length === 0) return;
  const versions = [...new Set(films.map(({ call }) => call.priceVersion))];
  const pricesOf = new Map(
    (await prices.priceVersions(versions)).map((version) => [version.version, version]),
  );
  const reserves = new Map<string, SpendReserve>();
  for (const { task, call } of films) {
    const version = pricesOf.get(call.priceVersion);
    if (version === undefined) continue;
    const reservedE8 = quoteHold(version, {
      promptTokensBound: 0,
      outputTokens: 0,
      choices: 1,
      ...videoAsked({
        video: call.video,
        terms: call.terms,
        hasReference: task.referenceType !== undefined,
      }),
    });
    reserves.set(task.id, spending.reserve({ ...call, reservedE8 }));
  }
  book.subscribe((before, after) => {
    if (before === undefined || (after !== undefined && isOpen(after))) return;
    reserves.get(before.id)?.end();
    reserves.delete(before.id);
  });
}
