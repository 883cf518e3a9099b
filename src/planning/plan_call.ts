/**
 * What is decided before anyone is asked: which routes may serve a request, in
 * which order, and what each would cost at worst.
 *
 * @module
 */

import { type Caller, mayUse } from "../accounts/key_directory.ts";
import type { CatalogueHolder, Snapshot } from "../catalog/snapshot.ts";
import { wordsOf } from "../dialects/request_words.ts";
import { capabilitiesOf, capabilityOf, type ModelKind } from "../domain/capabilities.ts";
import type { Project } from "../domain/account.ts";
import type { Model, Route } from "../domain/catalogue.ts";
import type { Clock, Random } from "../domain/clock.ts";
import type { AmountE8 } from "../domain/money.ts";
import type { RequestFacts, SourceWishes } from "../domain/request_facts.ts";
import { GatewayError } from "../errors.ts";
import { likelyBought, likelyPrice, quoteHold, quoteLikely, saleRateE8 } from "../pricing/quote.ts";
import { modelNamed } from "./model_names.ts";
import { type OutputCap, outputCap } from "../pricing/output_cap.ts";
import type {
  CapacityView,
  HealthView,
  RouteQuestion,
  Selection,
} from "../routing/route_request.ts";
import { selectRoute } from "../routing/select_route.ts";
import { hasRules } from "../providers/contract/body_rules.ts";
import { promptBound } from "./facts_after_rules.ts";
import { refused } from "./refusals.ts";
import { didYouMean } from "../documents/did_you_mean.ts";

/** Longer names are cut where an error repeats them. */
const SHOWN_CHARACTERS = 200;
/** Longer names are not compared with those that exist, which takes its time. */
const COMPARED_CHARACTERS = 64;

/** Who asks, and for what: an id or alias. */
export interface ModelQuestion {
  readonly model: string;
  readonly caller: Caller;
}

/**
 * The model that the caller means.
 *
 * @throws {GatewayError} `model_not_found` or `model_not_allowed`.
 */
export function findModel(snapshot: Snapshot, { model: asked, caller }: ModelQuestion): Model {
  const model = modelNamed(snapshot, asked)?.model;
  if (model === undefined) {
    const shown = asked.slice(0, SHOWN_CHARACTERS);
    const near = shown.length > COMPARED_CHARACTERS
      ? undefined
      : didYouMean(shown, namesFor(snapshot, caller));
    const hint = near === undefined ? "" : `did you mean '${near}'? `;
    throw new GatewayError(
      "model_not_found",
      `The model '${shown}' does not exist: ${hint}GET /v1/models lists those this key may use`,
      { param: "model" },
    );
  }
  requireUse(model, caller);
  return model;
}

/** @throws {GatewayError} `model_not_allowed` */
export function requireUse({ id }: Model, caller: Caller): void {
  if (mayUse(caller, id)) return;
  throw new GatewayError(
    "model_not_allowed",
    `This key may not use the model '${id}': GET /v1/models lists those it may`,
    { param: "model" },
  );
}

/** Every name by which the caller may use a model: of others it learns nothing. */
function namesFor({ models }: Snapshot, caller: Caller): readonly string[] {
  return models.filter(({ id }) => mayUse(caller, id)).flatMap((
    { id, aliases },
  ) => [id, ...aliases]);
}

/** What a plan depends on besides the request. */
export interface PlanDeps {
  readonly catalogue: CatalogueHolder;
  readonly health: HealthView;
  readonly capacity: CapacityView;
  readonly clock: Clock;
  readonly random: Random;
}

/** A request that a plan is made for. */
export interface PlanRequest {
  readonly caller: Pick<Caller, "project">;
  readonly wishes: SourceWishes;
  readonly model: Model;
  readonly facts: RequestFacts;
  /** The facts of what a route's rules make of the request; absent: they cannot change what counts. */
  readonly factsAfter?: (route: Route) => RequestFacts;
  /** The route that the conversation is to stay on, by its id; absent: any. */
  readonly sticky?: string | undefined;
}

/** What a request costs on any route at worst. */
export interface WorstCases {
  /** Of the request as a route's upstream gets it: what is held for it, and what its price depends on. */
  readonly factsOn: (route: Route) => RequestFacts;
  /** What the project's hold on a route has to be; 0 for an unlimited project. */
  readonly worstCaseE8: (route: Route) => AmountE8;
  /** What a route may cost at worst, whoever asks: what the hold would be of a project that pays. */
  readonly quoteE8: (route: Route) => AmountE8;
  /** The output limit on a route. */
  readonly capOf: (route: Route) => OutputCap;
}

export interface Plan extends WorstCases {
  readonly model: Model;
  /** Of the request as it came: by them routes are found. */
  readonly facts: RequestFacts;
  readonly question: RouteQuestion;
  /** With at least one candidate. */
  readonly selection: Selection;
}

/**
 * The model that a caller means, if it is of the kind that the path serves.
 *
 * @throws {GatewayError} `model_not_found`, `model_not_allowed` or `invalid_value`.
 */
export function requireModel(
  snapshot: Snapshot,
  question: ModelQuestion & { readonly kind: ModelKind },
): Model {
  const model = findModel(snapshot, question);
  const { kind } = question;
  if (model.kind !== kind) {
    throw new GatewayError(
      "invalid_value",
      `The model '${model.id}' is of kind '${model.kind}', and this path serves models of kind '${kind}': call it with POST ${
        pathsOf(model.kind)
      }`,
      { param: "model" },
    );
  }
  return model;
}

function pathsOf(kind: ModelKind): string {
  // Not what only some routes have.
  return capabilitiesOf(kind).filter((name) => capabilityOf(name).needsSupport === undefined)
    .map((name) => `/v1${wordsOf(name).path}`).join(" or ");
}

/**
 * Selects routes for a request.
 *
 * @throws {GatewayError} With `error.routes`, when no route is left.
 */
export function planCall(deps: PlanDeps, request: PlanRequest): Plan {
  const { caller: { project }, model, facts } = request;
  const question = askRoutes(deps, { ...request, projectId: project.id });
  const selection = selectRoute(question);
  if (selection.candidates.length === 0) throw refused(question, selection);
  return { model, facts, question, selection, ...worstCases(request, project) };
}

/** What selection is asked of a request. */
export function askRoutes(
  deps: PlanDeps,
  { projectId, wishes, model, facts, sticky }: {
    /** Absent: nobody in particular asks. */
    readonly projectId: string | undefined;
    readonly wishes: SourceWishes;
    readonly model: Model;
    readonly facts: RequestFacts;
    readonly sticky?: string | undefined;
  },
): RouteQuestion {
  const snapshot = deps.catalogue.current;
  const likely = likelyBought(facts);
  return {
    model,
    projectId,
    wishes,
    facts,
    isOfficial: (providerId) => snapshot.isOfficial(providerId),
    isNative: snapshot.isNative,
    filmFault: snapshot.filmFault,
    capabilityFault: snapshot.capabilityFault,
    sticky,
    unserved: snapshot.unserved,
    routeOf: (id) => snapshot.route(id),
    quote: (route) => quoteLikely(route.prices, likely),
    rateE8: wishes.providers?.maxPrices === undefined
      ? undefined
      : (route, unit) => saleRateE8(route.prices, unit, likely),
    weighPrice: (route) => likelyPrice(route.prices, likely),
    health: deps.health,
    capacity: deps.capacity,
    now: deps.clock.monotonic(),
    random: deps.random,
  };
}

/** What a project's request costs at worst, route by route. */
export function worstCases(
  { facts, factsAfter }: Pick<PlanRequest, "facts" | "factsAfter">,
  { unlimited }: Pick<Project, "unlimited">,
): WorstCases {
  const capOf = (route: Route) =>
    outputCap(route, {
      capability: facts.capability,
      maxOutputTokens: facts.maxOutputTokens,
      promptTokensEstimate: facts.promptTokensEstimate,
      pays: !unlimited,
    });
  // Asked several times of the one route that a call is opened on.
  let known: { readonly route: Route; readonly facts: RequestFacts } | undefined;
  const factsOn = (route: Route) => {
    if (factsAfter === undefined || !hasRules(route.body)) return facts;
    if (known?.route !== route) known = { route, facts: factsAfter(route) };
    return known.facts;
  };
  const quoteE8 = (route: Route) => {
    const held = factsOn(route);
    return quoteHold(route.prices, {
      ...held,
      promptTokensBound: promptBound(route, held),
      outputTokens: capOf(route).heldTokens,
    });
  };
  return {
    factsOn,
    capOf,
    quoteE8,
    worstCaseE8: (route) => unlimited ? 0n : quoteE8(route),
  };
}
