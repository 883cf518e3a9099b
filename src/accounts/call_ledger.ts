/**
 * What calls of models need of the ledger.
 *
 * @module
 */

import type { Ledger } from "./ledger.ts";

/** The ledger of the thread that owns it, or as another thread has it. */
export type CallLedger =
  & Pick<Ledger, "hold" | "rehold" | "close" | "closeThen" | "balanceOf">
  // A thread that has too little passes its request on, and the ledger's own has it.
  & Partial<Pick<Ledger, "lease" | "leaseBudgets">>;
