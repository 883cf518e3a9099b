/**
 * `ledger verify`: the check of the books while the gateway goes on.
 *
 * @module
 */

import * as z from "zod";
import { checkLedger, type LedgerFindings } from "./ledger_check/check_ledger.ts";
import { defineOperation } from "./operation.ts";

export const verifyLedger = defineOperation({
  name: "ledger.verify",
  method: "POST",
  readOnly: true,
  path: "/ledger/verify",
  summary: "Re-adds every balance and reprices every call; lists what differs.",
  input: z.strictObject({}),
  run: (deps): Promise<LedgerFindings> => checkLedger(deps.storage, deps),
});
