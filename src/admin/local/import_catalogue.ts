/**
 * Other gateways' configurations as catalogue files.
 *
 * @module
 */

import * as z from "zod";
import { readCatalogueText } from "../../catalog/read_file.ts";
import { formatProblem } from "../../documents/problem.ts";
import { parseYamlDocument } from "../../documents/yaml_document.ts";
import { asObject, type JsonObject } from "../../domain/json_value.ts";
import { GatewayError } from "../../errors.ts";
import { PriceList, shippedPrices } from "../../vendors/price_list.ts";
import { defineLocalOperation } from "../base/operation.ts";
import { importChannels } from "../vendors/import/import_channels.ts";
import { ImportDraft } from "../vendors/import/import_draft.ts";
import { importLiteLlm } from "../vendors/import/import_litellm.ts";
import { withMergedKeys } from "../vendors/import/merged_keys.ts";
import { isSqlDump, rowsOf } from "../vendors/import/sql_rows.ts";

const FORMS = ["litellm", "one-api", "new-api"] as const;

export const importCatalogue = defineLocalOperation<undefined>()({
  name: "catalogue.import",
  summary: "Write another gateway's configuration as a catalogue file, and name what has no equal.",
  input: z.strictObject({
    form: z.enum(FORMS).describe("whose configuration it is"),
    file: z.string().min(1).max(4096).describe(
      "the file, YAML, JSON or a dump of the table; - reads stdin",
    ),
    text: z.string().describe("what is in it"),
    included: z.record(z.string(), z.string()).default({}).describe(
      "what is in the files that it includes, by their names there",
    ),
  }),
  output: z.object({
    text: z.string().describe("YAML"),
    notes: z.array(z.string()).describe("What was left out, and what to mend"),
  }),
  errors: [],
  async run(_deps, { form, file, text, included }) {
    const prices = new PriceList(await shippedPrices());
    const draft = new ImportDraft(prices);
    if (form === "litellm") {
      importLiteLlm(withIncluded(configOf(text, file), included), draft);
    } else {
      const value = isSqlDump(text) ? rowsOf(text, "channels") : valueOf(text, file);
      importChannels(value, { form, prices, draft });
    }
    const { text: written, notes } = draft.result();
    const read = readCatalogueText(written, { file: "catalogue" });
    const wrong = read.ok
      ? []
      : read.problems.map((problem) => `To mend: ${formatProblem(problem)}`);
    return { text: written, notes: [...notes, ...wrong] };
  },
});

/** @throws {GatewayError} `invalid_value` with every problem on a line of its own. */
function valueOf(text: string, file: string): unknown {
  const parsed = parseYamlDocument(text, { file });
  if (parsed.ok) return parsed.document.value;
  throw new GatewayError("invalid_value", parsed.problems.map(formatProblem).join("\n"), {
    param: "text",
  });
}

function configOf(text: string, file: string): JsonObject {
  return asObject(withMergedKeys(valueOf(text, file))) ?? {};
}

/** As LiteLLM does it: lists of an included file go to the end, everything else takes the place. */
function withIncluded(
  config: JsonObject,
  included: Readonly<Record<string, string>>,
): JsonObject {
  let whole = config;
  for (const [file, text] of Object.entries(included)) {
    for (const [section, value] of Object.entries(configOf(text, file))) {
      const before = whole[section];
      const isList = Array.isArray(before) && Array.isArray(value);
      whole = { ...whole, [section]: isList ? [...before, ...value] : value };
    }
  }
  return whole;
}
