/**
 * Other gateways' configurations as catalogue files.
 *
 * @module
 */

import * as z from "zod";
import { readCatalogueText } from "../../catalog/read_file.ts";
import { formatProblem } from "../../documents/problem.ts";
import { parseYamlDocument } from "../../documents/yaml_document.ts";
import { asObject } from "../../domain/json_value.ts";
import { GatewayError } from "../../errors.ts";
import { PriceList, SHIPPED } from "../../vendors/price_list.ts";
import { defineLocalOperation } from "../base/operation.ts";
import { ImportDraft } from "../vendors/import_draft.ts";
import { importLiteLlm } from "../vendors/import_litellm.ts";
import { importOneApi } from "../vendors/import_one_api.ts";

const FORMS = ["litellm", "one-api"] as const;

export const importCatalogue = defineLocalOperation<undefined>()({
  name: "catalogue.import",
  summary: "Write another gateway's configuration as a catalogue file, and name what has no equal.",
  input: z.strictObject({
    form: z.enum(FORMS).describe("whose configuration it is"),
    file: z.string().min(1).max(4096).describe("the file, YAML or JSON; - reads stdin"),
    text: z.string().describe("what is in it"),
  }),
  output: z.object({
    text: z.string().describe("YAML"),
    notes: z.array(z.string()).describe("What was left out, and what to mend"),
  }),
  errors: [],
  run(_deps, { form, file, text }) {
    const parsed = parseYamlDocument(text, { file });
    if (!parsed.ok) {
      throw new GatewayError("invalid_value", parsed.problems.map(formatProblem).join("\n"), {
        param: "text",
      });
    }
    const { value } = parsed.document;
    const draft = new ImportDraft(new PriceList(SHIPPED));
    if (form === "litellm") importLiteLlm(asObject(value) ?? {}, draft);
    else importOneApi(value, draft);
    const { text: written, notes } = draft.result();
    const read = readCatalogueText(written, { file: "catalogue" });
    const wrong = read.ok
      ? []
      : read.problems.map((problem) => `To mend: ${formatProblem(problem)}`);
    return Promise.resolve({ text: written, notes: [...notes, ...wrong] });
  },
});
