/**
 * What a node's limits are asked with where several nodes share them.
 *
 * @module
 */

import type { Limits } from "../domain/catalogue.ts";
import type { ShareScope } from "../storage/ports/shares.ts";
import type { SubjectShares } from "./subject_shares.ts";
import type { WaitingNeed } from "./share_book.ts";

/** This node's shares. */
export interface NodeShares {
  /** A subject's; its limits are these from now on. */
  of(scope: ShareScope, id: string, limits: Limits): SubjectShares;
  /**
   * Waits for a moment at most until a call can take what it needs; says whether it has.
   *
   * @param take Takes all of that, or nothing; says whether.
   */
  whenRoom(needs: readonly WaitingNeed[], take: () => boolean): Promise<boolean>;
}
