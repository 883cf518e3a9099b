/**
 * `tollgate alerts …`
 *
 * @module
 */

import type { Command } from "commander";
import { type AlertRow, listAlerts, testAlerts } from "../../admin/alerts.ts";
import type { Cli } from "../base/cli.ts";
import { listCommand, operationCommand } from "../operations/operation_command.ts";
import { type Column, timeText } from "../base/table.ts";

export function alerts(cli: Cli): readonly Command[] {
  return [
    listCommand(cli, {
      operation: listAlerts,
      description: "List what is the matter now, and behind it what was told lately and is over. " +
        "The server looks every few seconds, whether anybody is told or not.",
      example: "alerts list",
      most: 50,
      columns: () => ALERT_COLUMNS,
      none: "Nothing is the matter, and nothing was told lately",
    }),
    operationCommand(cli, {
      operation: testAlerts,
      description: "Send a test message to every --alert-url of the running server, and say what " +
        "each answered. Exits 1 when one of them did not take it.",
      example: "alerts test",
      async run({ admin, operation, input, options: { json } }) {
        const { data } = await admin.call(operation, input);
        cli.printRows(data, {
          json,
          columns: [
            { header: "TARGET", value: ({ target }) => target },
            { header: "DELIVERED", value: ({ delivered }) => delivered ? "yes" : "no" },
            { header: "ANSWER", value: ({ answer }) => answer },
            { header: "MS", value: ({ milliseconds }) => String(milliseconds), align: "right" },
          ],
          none: "Nobody is told",
        });
        if (data.some(({ delivered }) => !delivered)) cli.fail();
      },
    }),
  ];
}

/** The columns of `alerts list`. */
const ALERT_COLUMNS: readonly Column<AlertRow>[] = [
  { header: "STATE", value: ({ state }) => state },
  { header: "CAUSE", value: ({ cause }) => cause },
  { header: "SEVERITY", value: ({ severity }) => severity },
  { header: "SINCE", value: ({ since }) => timeText(since) },
  { header: "UNTIL", value: ({ until }) => until === null ? "-" : timeText(until) },
  { header: "TOLD", value: ({ told_at: at }) => at === null ? "-" : timeText(at) },
  { header: "WHAT", value: ({ text }) => text },
  { header: "WHAT TO DO", value: ({ help }) => help },
];
