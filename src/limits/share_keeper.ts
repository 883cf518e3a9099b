/**
 * Keeps this node's shares of limits.
 *
 * @module
 */

import type { Limits } from "../domain/catalogue.ts";
import type { ShareAnswer, ShareAsk, ShareScope } from "../storage/ports/shares.ts";
import { ExchangeKeeper, type ExchangeKeeperOptions } from "./exchange_keeper.ts";
import type { NodeShares } from "./node_shares.ts";
import type { ShareBook, WaitingNeed } from "./share_book.ts";
import type { SubjectShares } from "./subject_shares.ts";

/** What shares are kept with. */
export interface ShareKeeperOptions
  extends ExchangeKeeperOptions<WaitingNeed, ShareAsk, ShareAnswer> {
  readonly book: ShareBook;
}

export class ShareKeeper extends ExchangeKeeper<WaitingNeed, ShareAsk, ShareAnswer>
  implements NodeShares {
  readonly #book: ShareBook;

  constructor(options: ShareKeeperOptions) {
    super(options);
    this.#book = options.book;
  }

  of(scope: ShareScope, id: string, limits: Limits): SubjectShares {
    return this.#book.of(scope, id, limits);
  }
}
