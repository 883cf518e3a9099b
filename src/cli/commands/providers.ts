/**
 * `tollgate providers …`
 *
 * @module
 */

import { type Command, Option } from "commander";
import {
  deleteProvider,
  listProviders,
  type ProviderRow,
  type ProviderTestRow,
  setProvider,
  showProvider,
  testProviders,
} from "../../admin/catalogue/providers.ts";
import { type ListedModelRow, listUpstreamModels } from "../../admin/vendors/list_models.ts";
import { priceWords } from "../../admin/vendors/prices.ts";
import { providerSchema } from "../../catalog/provider_schema.ts";
import type { Cli } from "../base/cli.ts";
import { listCommand, operationCommand } from "../operations/operation_command.ts";
import type { Column } from "../base/table.ts";
import { providersAdd } from "./providers_add.ts";
import { pieceCommands } from "./pieces.ts";

const NONE = "No providers yet: tollgate providers add VENDOR, or write a catalogue file, then " +
  "tollgate apply FILE";

const COLUMNS: readonly Column<ProviderRow>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "KIND", value: ({ kind }) => kind },
  { header: "ROUTES", value: ({ routes }) => routes, align: "right" },
  { header: "OFFICIAL", value: ({ official }) => official ? "yes" : "no" },
  { header: "KEY", value: keysText },
  { header: "BASE URL", value: ({ base_url }) => base_url ?? "-" },
];

const TEST_COLUMNS: readonly Column<ProviderTestRow>[] = [
  { header: "PROVIDER", value: ({ provider }) => provider },
  { header: "RESULT", value: resultText },
  { header: "MS", value: ({ milliseconds }) => Math.round(milliseconds), align: "right" },
  { header: "DETAIL", value: ({ detail }) => detail },
];

const MODEL_COLUMNS: readonly Column<ListedModelRow>[] = [
  { header: "MODEL", value: ({ model }) => model },
  { header: "ROUTE", value: ({ route }) => route ?? "-" },
  { header: "PRICE", value: ({ cost }) => cost === null ? NO_PRICE : priceWords({ cost }) },
  { header: "DATE", value: ({ date }) => date ?? "-" },
  { header: "SOURCE", value: ({ source }) => source ?? "-" },
];

const NO_PRICE = "no price known";

function printLines({ terminal }: Cli, models: readonly ListedModelRow[]): void {
  if (models.length === 0) return terminal.out("models: []\n");
  terminal.out("models:\n");
  for (const { line, cost, source, date } of models) {
    terminal.out(`  - ${line} # ${cost === null ? NO_PRICE : `${source}, ${date}`}\n`);
  }
}

/** As `prices update` reads it. */
function printPrices({ terminal }: Cli, models: readonly ListedModelRow[]): void {
  const lines = models.flatMap(({ price_line: line }) => line ?? []);
  terminal.out(lines.length === 0 ? "rows: []\n" : "rows:\n");
  for (const line of lines) terminal.out(`  - ${line}\n`);
}

export function providers(cli: Cli): readonly Command[] {
  return [
    listCommand(cli, {
      operation: listProviders,
      example: "providers list",
      columns: () => COLUMNS,
      none: NONE,
    }),
    providersAdd(cli),
    operationCommand(cli, {
      operation: listUpstreamModels,
      description:
        "List the models that a provider's upstream has, and what they cost where that is " +
        "known. With --lines they are printed as a catalogue file has them, with --prices as a " +
        "list of prices that prices update reads.",
      example: "providers models openai --lines > models.yaml",
      extra: [
        new Option("--lines", "print what a catalogue file would have"),
        new Option("--prices", "print what prices update reads").conflicts("lines"),
      ],
      async run({ admin, operation, input, options: { json, lines, prices } }) {
        const { models, warnings } = await admin.call(operation, input);
        cli.warn(warnings);
        if (lines === true) return printLines(cli, models);
        if (prices === true) {
          cli.terminal.out("currency: USD\n");
          return printPrices(cli, models);
        }
        cli.printRows(models, {
          json,
          columns: MODEL_COLUMNS,
          none: "Its upstream lists no models",
        });
      },
    }),
    operationCommand(cli, {
      operation: testProviders,
      description: "Ask one provider, or all, something free. Exits 1 when one does not answer.",
      example: "providers test openai",
      args: { provider: "[id]" },
      async run({ admin, operation, input, options: { json } }) {
        const rows = await admin.call(operation, input);
        cli.printRows(rows, { json, columns: TEST_COLUMNS, none: NONE });
        if (rows.some(({ ok }) => !ok)) cli.fail();
      },
    }),
    ...pieceCommands(cli, {
      kind: "provider",
      schema: providerSchema,
      show: showProvider,
      set: setProvider,
      delete: deleteProvider,
      example: "openai",
      exampleSettings:
        "--kind openai_compatible --base-url https://api.openai.com/v1 \\\n    --api-key env:OPENAI_API_KEY",
    }),
  ];
}

function keysText({ api_keys, key_states }: ProviderRow): string {
  if (api_keys.length === 0) return "none";
  return api_keys.map((key) => {
    const { state, why = null } = key_states.find((one) => one.key === key) ?? {};
    if (state === "no_value") return `${key} has no value`;
    return why === null ? key : `${key} ${why}`;
  }).join(", ");
}

function resultText({ ok, checked }: ProviderTestRow): string {
  if (!ok) return "failed";
  return checked ? "ok" : "answers";
}
