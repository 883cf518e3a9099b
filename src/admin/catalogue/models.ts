/**
 * Logical models, as an operator sees them.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import type { Model } from "../../domain/catalogue.ts";
import { isPriced } from "../../domain/priced.ts";
import { fromPrice } from "../../pricing/from_price.ts";
import { shownAmount, shownCount } from "../base/answer_fields.ts";
import type { AdminDeps } from "../base/deps.ts";
import { missingKeysOf } from "./missing_keys.ts";
import { defineOperation } from "../base/operation.ts";
import { pageAnswer, pageFields, pageOfItems } from "../base/page.ts";

/** A model as shown. */
export const shownModel = z.object({
  id: z.string(),
  kind: z.string(),
  aliases: z.array(z.string()),
  manual_selection: z.boolean(),
  routes: shownCount,
  usable_routes: shownCount.describe(
    "Routes that may serve now: enabled, not in maintenance, priced, with a key if one is sent",
  ),
  from_price: shownAmount.nullable(),
  currency: z.string(),
});

/** The value of {@linkcode shownModel}. */
export type ModelRow = Shown<typeof shownModel>;

export const listModels = defineOperation({
  name: "models.list",
  method: "GET",
  path: "/models",
  effects: "reads",
  summary: "Lists the logical models.",
  input: z.strictObject(pageFields),
  output: pageAnswer(shownModel),
  errors: [],
  run(deps, page) {
    const { models } = deps.catalogue.current;
    const show = (model: Model) => modelRow(deps, model);
    return Promise.resolve(pageOfItems(models, { ...page, show, what: "model" }));
  },
});

/** A model as it is shown now. */
export function modelRow(
  deps: Pick<AdminDeps, "catalogue" | "registry" | "process">,
  model: Model,
): ModelRow {
  const { catalogue: { currency }, unserved } = deps.catalogue.current;
  const usable = model.routes.filter((route) =>
    route.enabled && !route.maintenance && isPriced(route, model.kind) &&
    !unserved.has(route.id) && missingKeysOf(deps, route).length === 0
  );
  return {
    id: model.id,
    kind: model.kind,
    aliases: model.aliases,
    manual_selection: model.manualSelection,
    routes: model.routes.length,
    usable_routes: usable.length,
    from_price: fromPrice(usable, model.kind).from_price,
    currency,
  };
}
