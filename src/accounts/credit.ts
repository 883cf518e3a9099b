/**
 * What is added to balances.
 *
 * @module
 */

import type { AuditNote } from "../domain/audit.ts";
import type { AmountE8 } from "../domain/money.ts";

/** Money that is added to a project's balance. */
export interface Credit {
  readonly projectId: string;
  readonly amountE8: AmountE8;
  /** What makes it safe to repeat. */
  readonly reference: string | undefined;
  readonly note: AuditNote;
}
