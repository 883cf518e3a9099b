/**
 * Reads the catalogue file: text to checked value, every problem at once with
 * line and column.
 *
 * @module
 */

import { checkDocument } from "../documents/check_document.ts";
import { type DocumentPath, formatPath, type Problem } from "../documents/problem.ts";
import { parseYamlDocument, type YamlDocument } from "../documents/yaml_document.ts";
import type { Provider } from "../domain/catalogue.ts";
import { GatewayError } from "../errors.ts";
import { crossCheck } from "./cross_check.ts";
import { type CatalogueFile, catalogueFileSchema } from "./file_schema.ts";
import { toRoute } from "./to_catalogue.ts";
import { priceWarnings } from "./price_warnings.ts";
import { takesTablePrices } from "./table_prices.ts";

/** A catalogue file that may be applied. */
export interface CatalogueFileRead {
  readonly ok: true;
  readonly value: CatalogueFile;
  /** What will work otherwise than the operator may think, such as unpriced routes. */
  readonly warnings: readonly Problem[];
  /** `file:line:column` of a part, for problems found while applying. */
  readonly locate: (path: DocumentPath) => string;
}

/** A catalogue file with everything that is wrong with it, in the file's order. */
export interface CatalogueFileRefused {
  readonly ok: false;
  readonly problems: readonly Problem[];
}

/** How to read a catalogue file. */
export interface ReadCatalogueOptions {
  /** The file's name as the operator gave it; problems begin with it. */
  readonly file: string;
  /** Providers that exist already and that routes of the file may name. */
  readonly knownProviders?: readonly Pick<Provider, "id" | "kind">[];
}

/** Checks the text of a catalogue file (YAML or JSON). Never throws for what the text holds. */
export function readCatalogueText(
  text: string,
  { file, knownProviders = [] }: ReadCatalogueOptions,
): CatalogueFileRead | CatalogueFileRefused {
  const parsed = parseYamlDocument(text, { file });
  if (!parsed.ok) return parsed;
  const { document } = parsed;
  const checked = checkDocument(catalogueFileSchema, document);
  const problems: Problem[] = checked.ok ? [] : [...checked.problems];
  for (const { path, message } of crossCheck(document.value, { knownProviders })) {
    problems.push({ source: document.locate(path), path: formatPath(path), message });
  }
  if (!checked.ok || problems.length > 0) {
    return { ok: false, problems: inFileOrder(problems) };
  }
  return {
    ok: true,
    value: checked.value,
    warnings: warningsFor(checked.value, { document, knownProviders }),
    locate: (path) => document.locate(path),
  };
}

/**
 * The text of a catalogue file, or of a piece of one.
 *
 * @param what Such as `the catalogue file /etc/tollgate.yaml`.
 * @throws {GatewayError} `invalid_value`, saying why it cannot be read.
 */
export async function readCatalogueFile(
  path: string,
  what = `the catalogue file ${path}`,
): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await Deno.readFile(path));
  } catch (cause) {
    throw new GatewayError(
      "invalid_value",
      `Cannot read ${what}: ${reasonOf(cause)}`,
      { cause },
    );
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "it does not exist";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  if (error instanceof Deno.errors.IsADirectory) return "it is a folder";
  if (error instanceof TypeError) return "it is not UTF-8 text; save it as UTF-8";
  return error instanceof Error ? error.message : String(error);
}

function warningsFor(
  file: CatalogueFile,
  { document, knownProviders }: {
    document: YamlDocument;
    knownProviders: readonly Pick<Provider, "id" | "kind">[];
  },
): readonly Problem[] {
  const warnings: Problem[] = [];
  const kinds = new Map([...knownProviders, ...file.providers].map(({ id, kind }) => [id, kind]));
  const warn = (path: DocumentPath, message: string) =>
    warnings.push({ source: document.locate(path), path: formatPath(path), message });
  for (const [index, model] of file.models.entries()) {
    const path = ["models", index];
    if (model.routes.length === 0) warn(path, "Has no routes: nothing serves it");
    for (const [position, fileRoute] of model.routes.entries()) {
      const providerKind = kinds.get(fileRoute.provider);
      const route = toRoute(fileRoute, { model, currency: file.currency, providerKind });
      const at = [...path, "routes", position];
      // Whether the list has prices for it is not said by the file.
      if (takesTablePrices(model.id, route)) continue;
      for (const message of priceWarnings(route, model.kind)) warn(at, message);
    }
  }
  return warnings;
}

function inFileOrder(problems: readonly Problem[]): readonly Problem[] {
  const place = ({ source }: Problem): number => {
    const [, line = "0", column = "0"] = /:(\d+):(\d+)$/.exec(source) ?? [];
    return Number(line) * 100_000 + Number(column);
  };
  return [...problems].sort((one, other) => place(one) - place(other));
}
