/**
 * `tollgate providers test [ID]`
 *
 * @module
 */

import type { Command } from "commander";
import { type ProviderTestRow, testProviders } from "../../admin/providers.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import type { Column } from "../table.ts";

const COLUMNS: readonly Column<ProviderTestRow>[] = [
  { header: "PROVIDER", value: ({ provider }) => provider },
  { header: "RESULT", value: resultText },
  { header: "MS", value: ({ milliseconds }) => Math.round(milliseconds), align: "right" },
  { header: "DETAIL", value: ({ detail }) => detail },
];

function resultText({ ok, checked }: ProviderTestRow): string {
  if (!ok) return "failed";
  return checked ? "ok" : "answers";
}

/** Makes the command. */
export function providersTest(cli: Cli): Command {
  return cli.adminCommand("test", {
    summary: "Ask providers something free; never calls a paid model",
    description: "Ask one provider, or all, something free. Exits 1 when one does not answer.",
    example: "providers test openai",
  })
    .argument("[id]", "one provider (default: all)")
    .action((id: string | undefined, options: CommonOptions) =>
      cli.administer(options, async (admin) => {
        const rows = await admin.call(testProviders, id === undefined ? {} : { provider: id });
        cli.printRows(rows, {
          json: options.json,
          columns: COLUMNS,
          none: "No providers yet: write a catalogue file, then tollgate apply FILE",
        });
        if (rows.some(({ ok }) => !ok)) cli.fail();
      })
    );
}
