/**
 * `tollgate ledger verify`
 *
 * @module
 */

import type { Command } from "commander";
import type { Difference } from "../../admin/base/findings.ts";
import { verifyLedger } from "../../admin/ledger_check/check_ledger.ts";
import type { Cli } from "../base/cli.ts";
import { operationCommand } from "../operations/operation_command.ts";
import type { Column } from "../base/table.ts";

const COLUMNS: readonly Column<Difference>[] = [
  { header: "TABLE", value: ({ table }) => table },
  { header: "ROW", value: ({ id }) => id },
  { header: "COLUMN", value: ({ column }) => column ?? "?" },
  { header: "EXPECTED", value: ({ expected }) => expected ?? "-", align: "right" },
  { header: "FOUND", value: ({ found }) => found ?? "-", align: "right" },
  { header: "DETAIL", value: ({ detail }) => detail },
];

export function ledgerVerify(cli: Cli): Command {
  return operationCommand(cli, {
    operation: verifyLedger,
    description:
      "Re-add every balance, and every sum that reports and budgets read, reprice every call " +
      "and look for altered rows, and for " +
      "missing ones of the audit log, while the gateway goes on. Says how far it is; Ctrl-C ends it. Exits 1 when anything differs; amounts are in units of 1e-8.",
    example: "ledger verify",
    async run({ admin, operation, input, options: { json } }) {
      const answer = await admin.callLong(operation, input);
      const { differences, omitted, checked } = answer;
      if (differences.length > 0) cli.fail();
      if (json === true) return cli.printJson(answer);
      if (differences.length > 0) {
        cli.printRows(differences, { json, columns: COLUMNS, none: "" });
        const more = omitted > 0 ? ` and ${omitted} more` : "";
        cli.say(
          `${differences.length}${more} differences: restore a backup, or find out who wrote`,
        );
      } else {
        cli.terminal.out(
          `No differences: ${checked.ledger_rows} ledger rows, ${checked.calls} calls ` +
            `(${checked.open_calls} open), ${checked.projects} projects, ` +
            `${checked.sums} sums, ${checked.audit_rows} audit rows${
              archivesText(checked.archives)
            }${sealsText(checked.seals)}\n`,
        );
      }
    },
  });
}

function sealsText(seals: number): string {
  return seals === 0 ? "" : `; ${seals} seal${seals === 1 ? " stands" : "s stand"} for rows`;
}

function archivesText(archives: number): string {
  if (archives === 0) return "";
  return `, after ${archives} archive${
    archives === 1 ? "" : "s"
  }, which \`tollgate calls archive verify\` reads`;
}
