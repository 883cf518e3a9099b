/**
 * The models that a provider's upstream has, and how they would stand in a catalogue.
 *
 * @module
 */

import * as z from "zod";
import { type FilePart, providerToFile } from "../../catalog/to_file.ts";
import { longId } from "../../catalog/model_ids.ts";
import type { Shown } from "../../documents/shown.ts";
import { writeYamlLine } from "../../documents/write_yaml.ts";
import { failureWords, UpstreamError } from "../../domain/upstream_error.ts";
import { GatewayError } from "../../errors.ts";
import type { ListedModel } from "../../providers/contract/provider.ts";
import { MOST_MODELS } from "../../providers/upstream/list_models.ts";
import type { PriceRow } from "../../vendors/price_list.ts";
import { vendorOf } from "../../vendors/presets.ts";
import type { AdminDeps } from "../base/deps.ts";
import { warningsField } from "../base/fields.ts";
import { unknownName } from "../base/not_found.ts";
import { defineOperation } from "../base/operation.ts";
import { modelTraits } from "../catalogue/model_traits.ts";

/** The longest that an upstream is waited for. */
const LIST_MS = 15_000;

const OWN_LIST = "the upstream's own list";

const listed = z.object({
  model: z.string().describe("Its name at the upstream"),
  route: z.string().nullable().describe("The route to it; null when there is none"),
  cost: z.record(z.string(), z.unknown()).nullable().describe(
    "As in a catalogue file; null when no price is known",
  ),
  source: z.string().nullable().describe("Whose word the price is"),
  date: z.string().nullable().describe("When that was read, or is from"),
  line: z.string().describe("An entry of `models` in a catalogue file, YAML"),
  price_line: z.string().nullable().describe(
    "An entry of `rows` for prices.update, YAML; null when the upstream itself names no price",
  ),
});

export type ListedModelRow = Shown<typeof listed>;

export const listUpstreamModels = defineOperation({
  name: "providers.models",
  method: "GET",
  path: "/providers/{id}/models",
  role: "operator",
  summary:
    "List the models that a provider's upstream has, with their prices where they are known.",
  input: z.strictObject({ id: z.string().min(1).max(200).describe("the provider's id") }),
  output: z.object({ provider: z.string(), models: z.array(listed), warnings: warningsField }),
  errors: ["not_found", "conflict", "upstream_error"],
  async run(deps, { id }) {
    const { catalogue: { providers, models, currency } } = deps.catalogue.current;
    const provider = providers.find((one) => one.id === id);
    if (provider === undefined) throw unknownName("provider", id, providers.map((one) => one.id));
    const found = await ask(deps, id);
    const vendor = vendorOf(provider);
    const prices = await deps.prices.current();
    const routes = new Map(
      models.flatMap((model) => model.routes).filter(({ providerId }) => providerId === id)
        .map((route) => [route.upstreamModel, route.id]),
    );
    const isFree = provider.auth.kind === "none";
    const idFor = freshIds();
    const rows = [...found].sort((one, other) => one.name < other.name ? -1 : 1).map((model) => {
      const row = vendor === undefined || currency !== prices.currency
        ? undefined
        : prices.find(vendor, model.name);
      const cost = model.cost ?? row?.cost;
      const own = model.cost !== undefined;
      const told = own
        ? { source: OWN_LIST, date: new Date(deps.clock.now()).toISOString().slice(0, 10) }
        : row && { source: row.source, date: row.date };
      return {
        model: model.name,
        route: routes.get(model.name) ?? null,
        cost: cost ?? null,
        source: told?.source ?? null,
        date: told?.date ?? null,
        line: lineOf(model, {
          provider: id,
          settings: providerToFile(provider),
          row,
          cost,
          isFree,
          idFor,
        }),
        price_line: vendor === undefined || model.cost === undefined ? null : writeYamlLine({
          vendor,
          model: model.name,
          kind: row?.kind ?? "chat",
          cost: model.cost,
          ...(row !== undefined && { supports: row.supports }),
          ...told,
        }),
      };
    });
    const warnings = rows.length < MOST_MODELS
      ? []
      : [`The upstream lists more than ${MOST_MODELS} models: the rest is left out`];
    return { provider: id, models: rows, warnings };
  },
});

/** @throws {GatewayError} `conflict` where there is no list, else `upstream_error`, in words for operators. */
async function ask({ registry }: AdminDeps, id: string): Promise<readonly ListedModel[]> {
  const list = registry.provider(id)?.listModels;
  if (list === undefined) {
    throw new GatewayError("conflict", `Provider '${id}' has no list of models to ask for`);
  }
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), LIST_MS);
  try {
    return await list(controller.signal);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const why = controller.signal.aborted ? "it does not answer" : failureWords(error);
    throw new GatewayError(
      "upstream_error",
      `Cannot list the models of provider '${id}': ${why}. See tollgate providers test ${id}`,
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
  }
}

function lineOf(
  { name, contextTokens, maxOutputTokens, supports: told }: ListedModel,
  { provider, settings, row, cost, isFree, idFor }: {
    readonly idFor: FreshIds;
    readonly provider: string;
    readonly settings: FilePart;
    readonly row: PriceRow | undefined;
    readonly cost: object | undefined;
    readonly isFree: boolean;
  },
): string {
  const supports = {
    ...(contextTokens !== undefined && { context_tokens: contextTokens }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(row?.kind ?? "chat") === "chat" && modelTraits(settings, name),
    ...row?.supports,
    ...told,
  };
  const id = idOf(name);
  const route = {
    id: idFor("route", [`${provider}/${id}`]),
    provider,
    upstream_model: name,
    ...(Object.keys(supports).length > 0 && { supports }),
    ...(cost !== undefined && { cost, sale: { markup: "1.00" } }),
    ...(cost === undefined && isFree && { sale: { free: true } }),
  };
  return writeYamlLine({
    id: idFor("model", [row?.logical ?? id, id]),
    kind: row?.kind ?? "chat",
    routes: [route],
  });
}

/** Finds the first id of its kind that no line has yet. */
type FreshIds = (kind: "model" | "route", wanted: readonly string[]) => string;

function freshIds(): FreshIds {
  const taken = new Set<string>();
  /** The last number behind an id: an upstream may have thousands of names that make the same one. */
  const numbers = new Map<string, number>();
  return (kind, wanted) => {
    const last = wanted.at(-1)!;
    const counted = `${kind} ${last}`;
    let id = wanted.find((one) => !taken.has(`${kind} ${one}`));
    for (let number = numbers.get(counted) ?? 2; id === undefined; number++) {
      if (!taken.has(`${kind} ${last}-${number}`)) id = `${last}-${number}`;
      numbers.set(counted, number + 1);
    }
    taken.add(`${kind} ${id}`);
    return id;
  };
}

/** A name that callers can write. */
function idOf(name: string): string {
  if (longId.safeParse(name).success) return name;
  const id = name.replaceAll(/[^A-Za-z0-9._:@+/-]+/g, "-").replaceAll(/\/+/g, "/")
    .replace(/^[^A-Za-z0-9]+/, "").replaceAll(/\/[^A-Za-z0-9]+/g, "/").replace(/\/+$/, "");
  return id === "" ? "model" : id;
}
