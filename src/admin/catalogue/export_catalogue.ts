/**
 * The catalogue as the file that, applied, changes nothing.
 *
 * @module
 */

import * as z from "zod";
import { canonical } from "../../catalog/change.ts";
import { modelSchema } from "../../catalog/file_schema.ts";
import { providerSchema } from "../../catalog/provider_schema.ts";
import { routeSchema } from "../../catalog/route_schema.ts";
import { type FilePart, projectToFile } from "../../catalog/to_file.ts";
import { writeYaml } from "../../documents/write_yaml.ts";
import { isObject } from "../../domain/json_value.ts";
import { defineOperation } from "../base/operation.ts";
import { documentOf } from "./piece_document.ts";

export const exportCatalogue = defineOperation({
  name: "catalogue.export",
  method: "GET",
  path: "/catalogue/export",
  role: "owner",
  isLocal: true,
  summary: "Write the catalogue and the settings of projects as the file that, applied, changes " +
    "nothing; keys are the references that they are, headers have their values.",
  input: z.strictObject({}),
  output: z.object({ text: z.string().describe("YAML") }),
  errors: [],
  run({ catalogue, directory }) {
    const { currency, providers, models } = documentOf(catalogue.current.catalogue);
    const file = {
      currency,
      providers: providers.map((one) => without(one, PROVIDER)),
      models: models.map(({ routes, ...model }) => ({
        ...without(model, MODEL),
        routes: routes.map((route) => without(route, ROUTE)),
      })),
      projects: directory.projects().map(projectToFile).map((one) => without(one, PROJECT)),
    };
    return Promise.resolve({ text: writeYaml(file) });
  },
});

const PROVIDER: FilePart = providerSchema.parse({ id: "x", kind: "builtin" });
const MODEL: FilePart = modelSchema.parse({ id: "x", kind: "chat" });
const ROUTE: FilePart = routeSchema.parse({ id: "x", provider: "x" });
const PROJECT: FilePart = { unlimited: false, models: ["*"], limits: {}, budgets: {}, quotas: {} };

/** A part without what it has by default. */
function without(part: FilePart, defaults: FilePart): FilePart {
  return Object.fromEntries(
    Object.entries(part).filter(([name, value]) =>
      name === "id" || name === "kind" || name === "provider" ||
      (canonical(value) !== canonical(defaults[name]) && !isEmpty(value, defaults[name]))
    ),
  );
}

function isEmpty(value: unknown, byDefault: unknown): boolean {
  return byDefault === undefined && isObject(value) && Object.keys(value).length === 0;
}
