/**
 * A difference of catalogues as the audit log keeps it: each part that differs by
 * its kind and id, with the fields that do. Values that may hide a secret are
 * hidden, as they are wherever differences are shown.
 *
 * @module
 */

import { type Change, compareParts, type FieldChange } from "../../catalog/change.ts";
import {
  type FilePart,
  modelToFile,
  projectToFile,
  providerToFile,
  routeToFile,
} from "../../catalog/to_file.ts";
import type { Project } from "../../domain/account.ts";
import type { AuditFields } from "../../domain/audit.ts";
import type { Catalogue } from "../../domain/catalogue.ts";

/** A catalogue and the projects that its file says something about. */
export interface CatalogueState {
  readonly catalogue: Catalogue;
  readonly projects: readonly Project[];
}

/** Both sides of some changes; what is added is there whole on one side, what is removed on the other. */
export function auditedCatalogue(
  changes: readonly Change[],
  { before, after }: { readonly before: CatalogueState; readonly after: CatalogueState },
): { readonly before: AuditFields; readonly after: AuditFields } {
  const old: Record<string, AuditFields> = {};
  const young: Record<string, AuditFields> = {};
  for (const change of changes) {
    const name = `${change.kind} ${change.id}`;
    const fields = change.fields ??
      compareParts(
        change.action === "remove" ? partOf(change, before) : {},
        change.action === "add" ? partOf(change, after) : {},
      );
    if (change.action !== "add") old[name] = sideOf(fields, "before");
    if (change.action !== "remove") young[name] = sideOf(fields, "after");
  }
  return { before: old, after: young };
}

function sideOf(fields: readonly FieldChange[], side: "before" | "after"): AuditFields {
  return Object.fromEntries(fields.map((field) => [field.path, field[side]]));
}

function partOf({ kind, id }: Change, { catalogue, projects }: CatalogueState): FilePart {
  const named = (item: { readonly id: string }) => item.id === id;
  switch (kind) {
    case "currency":
      return { currency: catalogue.currency };
    case "provider":
      return providerToFile(catalogue.providers.find(named)!);
    case "model":
      return modelToFile(catalogue.models.find(named)!);
    case "route": {
      const route = catalogue.models.flatMap(({ routes }) => routes).find(named)!;
      return { model: route.modelId, ...routeToFile(route) };
    }
    case "project":
      return projectToFile(projects.find(named)!);
  }
}
