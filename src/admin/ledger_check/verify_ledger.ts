/**
 * `ledger verify`: the check of the books while the gateway goes on.
 *
 * @module
 */

import * as z from "zod";
import { checkLedger } from "./check_ledger.ts";
import { ledgerFindings } from "../base/findings.ts";
import { defineOperation } from "../base/operation.ts";

export const verifyLedger = defineOperation({
  name: "ledger.verify",
  method: "POST",
  path: "/ledger/verify",
  isLong: true,
  summary:
    "Re-add every balance and sum, reprice every call, and check the audit log; list what differs.",
  input: z.strictObject({}),
  output: ledgerFindings,
  errors: [],
  run: (deps) => checkLedger(deps.storage, deps),
});
