/**
 * What of alerts is kept from one run to the next.
 *
 * @module
 */

import type { AlertNotice, Trouble } from "../../domain/alert.ts";
import type { BookState } from "./alert_book.ts";
import type { WaitingMessage } from "./alert_outbox.ts";

/** All that outlives a restart. */
export interface AlertsState extends BookState {
  /** What is the matter until something says that it is not. */
  readonly latched: readonly Trouble[];
  /** What waits for the end of quiet hours, or of a crowded minute. */
  readonly held: readonly AlertNotice[];
  /** Others that were held back and are not remembered. */
  readonly heldMore: number;
  readonly waiting: readonly WaitingMessage[];
}
