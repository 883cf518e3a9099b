/**
 * `tollgate prices …`
 *
 * @module
 */

import { type Command, Option } from "commander";
import { listPrices, type PriceView, updatePrices } from "../../admin/vendors/prices.ts";
import { requireAgreed } from "../base/agreed.ts";
import type { Cli } from "../base/cli.ts";
import type { Column } from "../base/table.ts";
import { listCommand, operationCommand } from "../operations/operation_command.ts";
import { readText } from "./apply.ts";

const TOKENS = ["input", "cached_input", "output"] as const;

const rate = (name: typeof TOKENS[number]) => ({ cost }: PriceView) => {
  const value = cost[name];
  return typeof value === "string" ? value : "-";
};

/** Rates that have no column of their own. */
function others({ cost }: PriceView): string {
  const rates = Object.entries(cost).filter(([name, value]) =>
    typeof value === "string" && !TOKENS.some((one) => one === name)
  );
  return rates.length === 0 ? "-" : rates.map(([name, value]) => `${name} ${value}`).join(", ");
}

const COLUMNS: readonly Column<PriceView>[] = [
  { header: "VENDOR", value: ({ vendor }) => vendor },
  { header: "MODEL", value: ({ model }) => model },
  { header: "KIND", value: ({ kind }) => kind },
  { header: "INPUT", value: rate("input"), align: "right" },
  { header: "CACHED", value: rate("cached_input"), align: "right" },
  { header: "OUTPUT", value: rate("output"), align: "right" },
  { header: "OTHERS", value: others },
  {
    header: "WHEN",
    value: ({ cost }) => Array.isArray(cost.when) ? cost.when.length : 0,
    align: "right",
  },
  { header: "UNTIL", value: ({ until }) => until ?? "-" },
  { header: "DATE", value: ({ date }) => date },
  { header: "SOURCE", value: ({ source, note }) => note === null ? source : `${source} (${note})` },
];

export function prices(cli: Cli): readonly Command[] {
  return [
    listCommand(cli, {
      operation: listPrices,
      description:
        "List what vendors ask for their models, per million tokens and by their other units, with source, date, " +
        "and the last day of those that are on offer no longer or soon. " +
        "It is a reference for routes: a route costs what its own prices say. --json shows all of it.",
      example: "prices list --vendor openai --kind image",
      columns: () => COLUMNS,
      none: "No prices are known",
    }),
    operationCommand(cli, {
      operation: updatePrices,
      description:
        "Put the rows of a file over the list of prices: `currency: USD`, and `rows` with vendor, " +
        "model, kind, cost (as a catalogue file has it), source and date each; what a row leaves " +
        "out is as the list has it. The difference is shown before it is made. Routes keep the prices that they " +
        "have, until the vendor is added again with tollgate providers add.",
      example: "prices update prices.yaml",
      args: { file: "<file>" },
      without: ["text"],
      extra: [new Option("--yes", "change without asking")],
      mayCreate: true,
      async run({ admin, operation, input, options: { json, yes } }) {
        const text = await readText(input.file!);
        const before = await admin.call(operation, { ...input, text, dry_run: true });
        cli.warn(before.warnings);
        const isLook = input.dry_run === true || before.changes.length === 0;
        if (!isLook) {
          for (const { line } of before.changes) cli.say(line);
          requireAgreed(cli, yes === true);
        }
        const answer = isLook ? before : await admin.call(operation, { ...input, text });
        if (json === true) return cli.printJson(answer);
        const { length } = answer.changes;
        const words = length === 1 ? "1 change" : `${length} changes`;
        if (length === 0) return cli.say("Nothing to change: the prices are as the file says");
        if (isLook) { for (const { line } of answer.changes) cli.terminal.out(`${line}\n`); }
        cli.say(answer.applied ? `Applied: ${words}` : `Would apply: ${words}`);
      },
    }),
  ];
}
