/**
 * Reconciles the catalogue with a document: what `apply` does with a file, and every other change
 * of the catalogue with the whole of what it would become. One way to check, to store and to note.
 *
 * @module
 */

import * as z from "zod";
import { describeChange } from "../../catalog/change.ts";
import { type ApplyPlan, planApply } from "../../catalog/difference.ts";
import { unlistedRoutes, withTablePrices } from "../../catalog/table_prices.ts";
import { readCatalogueText } from "../../catalog/read_file.ts";
import { formatProblem, type Problem } from "../../documents/problem.ts";
import type { Shown } from "../../documents/shown.ts";
import type { Catalogue, Provider } from "../../domain/catalogue.ts";
import { GatewayError } from "../../errors.ts";
import type { AdminEntry } from "../../storage/ports/entry.ts";
import { auditedCatalogue, commitCatalogue } from "./commit_catalogue.ts";
import { type AuditedChange, commitChange, oneAtATime } from "../base/commit_change.ts";
import { pathOf } from "./piece_document.ts";
import { type PieceDocuments, type SortedFaults, sortFaults } from "./stored_faults.ts";
import type { AdminDeps } from "../base/deps.ts";

/** One difference as shown. */
export const shownChange = z.object({
  action: z.enum(["add", "change", "remove"]),
  kind: z.enum(["revision", "currency", "provider", "model", "route", "project"]),
  id: z.string(),
  fields: z.array(z.object({
    path: z.string().describe("Inside the part, such as cost.input"),
    before: z.unknown().optional().describe("Absent where there is none"),
    after: z.unknown().optional(),
  })).optional().describe("What differs; only with `change`"),
  line: z.string().describe("The change in a line of text"),
});

/** A document to reconcile with. */
export interface AppliedDocument {
  /** Made when every change before this one is done. */
  document(): DocumentText;
  readonly prune: boolean;
  readonly dry_run: boolean;
  /** Of what is changed, for the audit log. */
  readonly id: string;
}

/** What is applied. */
export interface DocumentText {
  /** What problems with it begin with: a file's name, or the piece that is changed. */
  readonly source: string;
  readonly text: string;
  /**
   * Where one piece is changed: problems are told by their place in it, and only its warnings; those
   * that other pieces had before refuse nothing. A file's are told by line and column.
   */
  readonly piece?: PieceDocuments;
}

/** What applying led, or would lead, to. */
export interface AppliedChanges {
  readonly changes: readonly Shown<typeof shownChange>[];
  readonly warnings: readonly string[];
  readonly providers: readonly Provider[];
  /** Ids of those that differ, or whose routes do. */
  readonly touched: ReadonlySet<string>;
}

/**
 * All or nothing for the catalogue; the old one stays live on error.
 *
 * @throws {GatewayError} `invalid_value` with every problem on a line of its own; `conflict` where a file
 * is older than the one that was applied last.
 */
export function applyDocument(
  deps: AdminDeps,
  { document, prune, dry_run: isDry, id }: AppliedDocument,
): Promise<AppliedChanges> {
  return oneAtATime(deps, async (deps) => {
    const given = document();
    const { source, text, piece } = given;
    let within = piece && pathOf(piece.after, piece.name);
    const tell = (problem: Problem) =>
      within === undefined ? problem : inPiece(problem, { source, within });
    const current = deps.catalogue.current.catalogue;
    const knownProviders = prune ? [] : current.providers;
    let read = readCatalogueText(text, { file: source, knownProviders });
    let faults: SortedFaults | undefined;
    if (!read.ok && piece !== undefined) {
      faults = sortFaults(read.problems, piece);
      if (faults.fresh.length > 0) throw refused(given, faults.fresh.map(tell));
      within = pathOf(faults.rest, piece.name);
      read = readCatalogueText(JSON.stringify(faults.rest), {
        file: source,
        knownProviders: current.providers,
      });
    }
    if (!read.ok) throw refused(given, read.problems.map(tell));
    const plan = planApply(
      { catalogue: current, projects: deps.directory.projects() },
      read.value,
      { prune, nowMs: deps.clock.now(), ...(faults && { keeps: faults.aside }) },
    );
    const { locate: located } = read;
    if (!plan.ok) {
      const problems = plan.faults.map(({ path, message }) => ({
        source: within === undefined ? located(path) : source,
        path: "",
        message,
      }));
      throw refused(given, problems);
    }
    if (piece === undefined) {
      refuseOlder(source, { ...plan, current, revision: read.value.revision });
    }
    const prices = await deps.prices.current();
    const catalogue = withTablePrices(plan.catalogue, prices);
    if (!isDry) await carryOut(deps, { ...plan, catalogue }, id);
    const changed = new Set(plan.changes.map(({ id }) => id));
    const unlisted = unlistedRoutes(catalogue, prices)
      .filter(({ route }) => within === undefined || changed.has(route));
    // Of a model itself there is one alone: that it has no routes. What was put aside, it has.
    const hasRoutes = piece?.name.kind === "model" &&
      plan.catalogue.models.some(({ id, routes }) => id === piece.name.id && routes.length > 0);
    const warnings = within === undefined ? read.warnings : read.warnings
      .filter(({ path }) => isWithin(path, within) && !(hasRoutes && path === within)).map(tell);
    return {
      changes: plan.changes.map((change) => ({ ...change, line: describeChange(change) })),
      warnings: [
        ...warnings.map(formatProblem),
        ...unlisted.map(({ warning }) => warning),
        ...faults?.warnings ?? [],
      ],
      providers: plan.catalogue.providers,
      touched: providersOf(plan),
    };
  });
}

/** @throws {GatewayError} `conflict` where a file is older than the one that was applied last. */
function refuseOlder(source: string, { revision, current, changes }: {
  readonly revision: number | undefined;
  readonly current: Catalogue;
  readonly changes: ApplyPlan["changes"];
}): void {
  const { revision: last } = current;
  if (revision === undefined || last === undefined || revision > last) return;
  if (revision === last && changes.length === 0) return;
  throw new GatewayError(
    "conflict",
    revision < last
      ? `Nothing was changed: ${source} has revision ${revision}, and revision ${last} was applied already`
      : `Nothing was changed: revision ${revision} was applied with other content than ${source} has: raise its revision`,
    { param: "text" },
  );
}

/** The providers that a plan is about. */
function providersOf({ changes, catalogue }: ApplyPlan): ReadonlySet<string> {
  const named = (kind: string) =>
    new Set(changes.flatMap((one) => one.kind === kind ? [one.id] : []));
  const routes = named("route");
  const served = catalogue.models.flatMap((model) =>
    model.routes.flatMap(({ id, providerId }) => routes.has(id) ? [providerId] : [])
  );
  return new Set([...named("provider"), ...served]);
}

/** All in one step: half a file is no state that anybody asked for. */
async function carryOut(
  deps: AdminDeps,
  plan: ApplyPlan,
  id: string,
): Promise<void> {
  const { catalogue, changes } = plan;
  const { create, update } = plan.projects;
  const isCatalogueWritten = changes.some(({ kind }) => kind !== "project");
  const [first, ...others]: readonly AdminEntry[] = [
    ...(isCatalogueWritten
      ? [{ kind: "write_catalogue", catalogue, at: deps.clock.now() } as const]
      : []),
    ...create.map((project) => ({ kind: "create_project", project }) as const),
    ...update.map((project) => ({ kind: "update_project", project }) as const),
  ];
  if (first === undefined) return;
  const change: AuditedChange = {
    id,
    ...auditedCatalogue(changes, {
      before: {
        catalogue: deps.catalogue.current.catalogue,
        projects: deps.directory.projects(),
      },
      after: { catalogue, projects: [...create, ...update] },
    }),
    entries: [first, ...others],
    put() {
      for (const project of [...create, ...update]) deps.directory.putProject(project);
    },
  };
  if (isCatalogueWritten) await commitCatalogue(deps, { catalogue, change });
  else await commitChange(deps, change);
}

function isWithin(path: string, piece: string): boolean {
  return piece !== "" && path.startsWith(piece) && !/^\d/.test(path.slice(piece.length));
}

/** Nobody has written the document's lines: what counts is the place in the piece. */
function inPiece(
  { path, message }: Problem,
  { source, within }: { readonly source: string; readonly within: string },
): Problem {
  const inside = isWithin(path, within) ? path.slice(within.length).replace(/^\./, "") : path;
  return { source, path: inside, message };
}

function refused(
  { source, piece }: DocumentText,
  problems: readonly Problem[],
): GatewayError {
  const param = piece === undefined ? "text" : "settings";
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  return new GatewayError(
    "invalid_value",
    `Nothing was changed: ${source} has ${count}\n${problems.map(formatProblem).join("\n")}`,
    { param },
  );
}
