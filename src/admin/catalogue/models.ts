/**
 * Logical models, as an operator sees them.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import type { Model, Route } from "../../domain/catalogue.ts";
import { isPriced } from "../../domain/rates_for.ts";
import { fromPrice } from "../../pricing/from_price.ts";
import { shownAmount, shownCount } from "../base/fields.ts";
import type { AdminDeps } from "../base/deps.ts";
import { unknownName } from "../base/not_found.ts";
import { replacePart, withoutPart } from "./merge_settings.ts";
import type { ModelPart } from "./piece_document.ts";
import { pieceOperations } from "./piece_operations.ts";

const shownModel = z.object({
  id: z.string(),
  kind: z.string(),
  aliases: z.array(z.string()),
  manual_selection: z.boolean(),
  routes: shownCount,
  usable_routes: shownCount.describe(
    "Routes that may serve now: enabled, not in maintenance, priced, with a key if one is sent",
  ),
  from_price: shownAmount.nullable().describe(
    "The lowest rate of those plus any price per request; null when unknown",
  ),
  from_price_per: z.string().nullable().describe(
    "What that is the price of, such as million_tokens, second or image",
  ),
  currency: z.string(),
});

export type ModelRow = Shown<typeof shownModel>;

function modelRow(
  deps: Pick<AdminDeps, "catalogue" | "registry" | "process">,
  model: Model,
): ModelRow {
  const { catalogue: { currency }, unserved } = deps.catalogue.current;
  const usable = model.routes.filter((route) =>
    route.enabled && !route.maintenance && isPriced(route, model.kind) &&
    !unserved.has(route.id) && missingKeysOf(deps, route).length === 0
  );
  const { from_price, pricing } = fromPrice(usable, model.kind);
  return {
    id: model.id,
    kind: model.kind,
    aliases: model.aliases,
    manual_selection: model.manualSelection,
    routes: model.routes.length,
    usable_routes: usable.length,
    from_price,
    from_price_per: from_price === null ? null : pricing?.unit ?? null,
    currency,
  };
}

/**
 * The model of that id or alias.
 *
 * @throws {GatewayError} `not_found`.
 */
export function requireModel({ catalogue }: Pick<AdminDeps, "catalogue">, name: string): Model {
  const { current } = catalogue;
  const model = current.model(name);
  if (model !== undefined) return model;
  throw unknownName("model", name, current.models.flatMap(({ id, aliases }) => [id, ...aliases]));
}

export const { list: listModels, show: showModel, set: setModel, delete: deleteModel } =
  pieceOperations("model", {
    summaries: {
      list: "List the logical models.",
      show: "Show a model, with its settings as a catalogue file has them and their version.",
      set:
        "Add a model, or change the given settings of one; its routes too, where they are given.",
      delete: "Delete a model with its routes; calls under way go on.",
    },
    all: ({ catalogue }) => catalogue.current.models,
    shown: shownModel,
    row: modelRow,
    require: requireModel,
    put(document, part) {
      // Whoever replaces settings and names no routes keeps those.
      const routes = document.models.find(({ id }) => id === part.id)?.routes ?? [];
      const model = { routes, ...part } as ModelPart;
      return { ...document, models: replacePart(document.models, model) };
    },
    without: (document, id) => ({ ...document, models: withoutPart(document.models, id) }),
  });

/**
 * The keys of a route's provider, by their references, where the running server has a value for
 * none of them; else nothing, as in a command, whose environment is another one.
 */
export function missingKeysOf(
  { registry, process }: Pick<AdminDeps, "registry" | "process">,
  { providerId }: Pick<Route, "providerId">,
): readonly string[] {
  if (process.kind !== "server") return [];
  const states = registry.provider(providerId)?.keyStates() ?? [];
  return states.every(({ state }) => state === "no_value") ? states.map(({ key }) => key) : [];
}
