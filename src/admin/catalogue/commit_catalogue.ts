/**
 * Commits a catalogue and makes it live. The audit log keeps each part that differs by its kind and
 * id, with the fields that do; values that may hide a secret are hidden, as wherever differences are
 * shown.
 *
 * @module
 */

import type { Catalogue } from "../../domain/catalogue.ts";
import { GatewayError } from "../../errors.ts";
import {
  type AuditedChange,
  commitChange,
  type CommitDeps,
  type Refusals,
} from "../base/commit_change.ts";
import type { AdminDeps } from "../base/deps.ts";
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

/** A catalogue to be, and the change that stores it. */
export interface CatalogueChange {
  readonly catalogue: Catalogue;
  readonly change: AuditedChange;
  readonly refusals?: Refusals;
}

/**
 * Stores a change and replaces the catalogue in memory; calls under way keep
 * the one they began with. Providers are made first: settings that cannot work
 * are refused before anything is stored, and no route is ever seen without its
 * provider.
 *
 * @throws {GatewayError}
 */
export async function commitCatalogue(
  deps: CommitDeps & Pick<AdminDeps, "registry" | "catalogue">,
  { catalogue, change, refusals }: CatalogueChange,
): Promise<void> {
  const { registry } = deps;
  try {
    registry.update(catalogue.providers);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new GatewayError("invalid_value", `Nothing was changed: ${error.message}`, {
      cause: error,
    });
  }
  try {
    await commitChange(deps, {
      ...change,
      put(stored) {
        deps.catalogue.swap(stored.catalogue ?? catalogue);
        change.put?.(stored);
      },
    }, refusals);
  } catch (error) {
    registry.update(deps.catalogue.current.catalogue.providers);
    throw error;
  }
}

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
    case "revision":
      return { revision: catalogue.revision };
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
