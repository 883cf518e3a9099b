/**
 * Logical models, as an operator sees them.
 *
 * @module
 */

import * as z from "zod";
import type { ModelKind } from "../domain/capabilities.ts";
import type { Model } from "../domain/catalogue.ts";
import { isPriced } from "../domain/priced.ts";
import { fromPrice } from "../pricing/from_price.ts";
import { missingKeysOf } from "./missing_keys.ts";
import { defineOperation } from "./operation.ts";
import { type Page, pageFields, pageOfItems } from "./page.ts";

/** A model as shown. */
export interface ModelRow {
  readonly id: string;
  readonly kind: ModelKind;
  readonly aliases: readonly string[];
  readonly manual_selection: boolean;
  readonly routes: number;
  /** Routes that may serve now: enabled, not in maintenance, priced, with a key if one is sent. */
  readonly usable_routes: number;
  readonly from_price: string | null;
  readonly currency: string;
}

export const listModels = defineOperation({
  name: "models.list",
  method: "GET",
  path: "/models",
  summary: "Lists the logical models.",
  input: z.strictObject(pageFields),
  run(deps, page): Promise<Page<ModelRow>> {
    const { models, currency } = deps.catalogue.current.catalogue;
    const show = (model: Model): ModelRow => {
      const usable = model.routes.filter((route) =>
        route.enabled && !route.maintenance && isPriced(route, model.kind) &&
        missingKeysOf(deps, route).length === 0
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
    };
    return Promise.resolve(pageOfItems(models, { ...page, show, what: "model" }));
  },
});
