/**
 * `routes explain`: the decision that a request would meet, with the figures
 * that make it. Calls nobody.
 *
 * @module
 */

import * as z from "zod";
import { mayUse } from "../accounts/key_directory.ts";
import { videoOf } from "../catalog/video_offer.ts";
import { allowsModel, type Project, type ProjectKey } from "../domain/account.ts";
import type { Shown } from "../documents/shown.ts";
import { makesVideos } from "../domain/capabilities.ts";
import { type Model, RISK_LEVELS, type Route } from "../domain/catalogue.ts";
import type { Dialect } from "../dialects/base/dialect.ts";
import { DIALECTS } from "../dialects/registry.ts";
import { NATIVE_DIALECTS } from "../providers/kinds.ts";
import { formatAmount, tryParseAmount } from "../domain/money.ts";
import { matchesAny } from "../domain/name_patterns.ts";
import { faultWords } from "../domain/upstream_error.ts";
import {
  type ProviderWishes,
  type RequestFacts,
  ROUTING_PREFERENCES,
  type SourceWishes,
} from "../domain/request_facts.ts";
import type { RouteRefusal } from "../errors.ts";
import { holdDetail } from "../planning/refusals.ts";
import { factsOfVideo } from "../planning/facts_of_video.ts";
import { factsWithRules } from "../planning/facts_after_rules.ts";
import { modelNamed, wishesFor } from "../planning/model_names.ts";
import { askRoutes, worstCases } from "../planning/plan_call.ts";
import { type ExplainedCandidate, explainSelection, type Explanation } from "../routing/explain.ts";
import { isSourceNamed } from "../routing/constraints.ts";
import type { AdminDeps } from "./base/deps.ts";
import { factsOfKind, mediaFields } from "./explain_facts.ts";
import { listField, shownAmount } from "./base/fields.ts";
import { accountRowOf } from "./accounts/account.ts";
import { requireKey } from "./accounts/keys.ts";
import { missingKeysOf, requireModel } from "./catalogue/models.ts";
import { defineOperation } from "./base/operation.ts";
import { optionWords } from "./base/option_words.ts";
import { requireProject } from "./accounts/projects.ts";
import { unlistedNote } from "./unlisted_note.ts";

/** Prompt tokens where the question names none: a short conversation. */
const DEFAULT_PROMPT_TOKENS = 1000;

const count = z.int().min(0).max(1_000_000_000);

const sources = listField(z.string().min(1).max(200).toLowerCase());

const price = z.string().refine(
  (text) => tryParseAmount(text) !== undefined,
  "Expected a price such as 2.50",
).optional();

const input = z.strictObject({
  model: z.string().min(1).describe("logical model or alias, with ':floor' or ':nitro' behind it"),
  provider: z.string().min(1).optional().describe("as the request's provider"),
  route: z.string().min(1).optional().describe("as the request's route"),
  routing_preference: z.enum(ROUTING_PREFERENCES).optional()
    .describe("as the request's routing_preference").register(optionWords, { placeholder: "name" }),
  exclude_risk_levels: listField(z.enum(RISK_LEVELS))
    .describe("low, medium or high; may be repeated")
    .register(optionWords, { option: "exclude-risk-level", placeholder: "level", repeats: true }),
  provider_order: sources.describe("as the request's provider.order; may be repeated")
    .register(optionWords, { placeholder: "id", repeats: true }),
  provider_only: sources.describe("as the request's provider.only; may be repeated")
    .register(optionWords, { placeholder: "id", repeats: true }),
  provider_ignore: sources.describe("as the request's provider.ignore; may be repeated")
    .register(optionWords, { placeholder: "id", repeats: true }),
  without_fallbacks: z.boolean().default(false)
    .describe("as the request's provider.allow_fallbacks: false"),
  max_price_prompt: price.describe("as the request's provider.max_price.prompt")
    .register(optionWords, { placeholder: "price" }),
  max_price_completion: price.describe("as the request's provider.max_price.completion")
    .register(optionWords, { placeholder: "price" }),
  stream: z.boolean().default(false).describe("the request streams"),
  tools: z.boolean().default(false).describe("the request offers tools"),
  vision: z.boolean().default(false).describe(
    "the request has an image, for a film: begins with one",
  ),
  json_schema: z.boolean().default(false).describe("the request asks for a JSON Schema"),
  only_in: z.enum(NATIVE_DIALECTS).optional().describe(
    "the request needs what only upstreams of this dialect have, such as a tool that they run",
  ).register(optionWords, { placeholder: "dialect" }),
  server_tools: listField(z.string().min(1).max(64)).describe(
    "a tool that the request has an upstream run, such as web_search; may be repeated",
  ).register(optionWords, { option: "server-tool", placeholder: "type", repeats: true }),
  dialect: z.enum(NATIVE_DIALECTS).optional().describe(
    "the request is in this dialect: notes say what of it is left out where it is converted",
  ).register(optionWords, { placeholder: "dialect" }),
  sticky: z.string().min(1).optional().describe(
    "the conversation gives back sealed thoughts of this route",
  ).register(optionWords, { placeholder: "route" }),
  prompt_tokens: count.default(DEFAULT_PROMPT_TOKENS)
    .describe("length of the prompt (default: 1000)"),
  max_tokens: count.min(1).optional()
    .describe("output limit of the request (default for PRICE: 512)"),
  size: z.string().min(1).max(64).optional()
    .describe("size of the film (default: the route's first) or the images, such as 1280x720")
    .register(optionWords, { placeholder: "size" }),
  seconds: count.min(1).optional().describe("length of the film (default: the route's first)"),
  ...mediaFields,
  project: z.string().min(1).optional().describe("whether this project may use it and can pay"),
  key: z.string().min(1).optional().describe("the same for one key")
    .register(optionWords, { placeholder: "key-id" }),
});

/** What a question about routes asks. */
export type ExplainInput = z.output<typeof input>;

/** A candidate, with what its call would hold when a paying project asks. */
const candidate = z.object({
  route: z.string(),
  provider: z.string(),
  official: z.boolean(),
  risk_level: z.enum(RISK_LEVELS),
  priority: z.int(),
  weight: z.number(),
  place: z.string().describe("Why it is tried where it is"),
  price: z.object({
    currency: z.string(),
    quote: shownAmount.nullable().describe("What the request would likely be sold for"),
  }),
  success_rate: z.number().describe("Share of attempts that succeeded lately, with its prior"),
  latency_ms: z.number().nullable().describe(
    "Recent milliseconds to the first byte (streams) or in total; null when not measured",
  ),
  tokens_per_second: z.number().nullable().describe(
    "What streams have written lately from their first byte on; null when not measured",
  ),
  first_chance: z.number().nullable().describe(
    "Chance to be tried first; null where the order is not drawn by chance",
  ),
  sticky: z.boolean().describe(
    "Whether it comes first as the conversation's sealed thoughts are from it",
  ),
  last_resort: z.boolean().describe(
    "Whether it is shut, and a call may probe it as there is no other",
  ),
  hold: shownAmount.optional(),
});

export type AdminCandidate = Shown<typeof candidate>;

const explainedCaller = z.object({
  project: z.string(),
  key: z.string().nullable(),
  may_use: z.boolean(),
  refusals: z.array(z.string()).describe(
    "Why a call would be refused before any route is weighed; empty when it would not",
  ),
  balance: shownAmount,
  unlimited: z.boolean(),
});

const explainAnswer = z.object({
  model: z.string(),
  routing_preference: z.string().nullable(),
  video: z.object({ size: z.string(), seconds: z.number() }).optional()
    .describe("The film that was asked about; video models only"),
  candidates: z.array(candidate),
  rejected: z.array(z.object({
    route: z.string(),
    provider: z.string(),
    reason: z.string(),
    detail: z.string().optional(),
  })).describe("With the candidates all routes of the model"),
  caller: explainedCaller.optional().describe("The project (and key) that asks"),
  notes: z.array(z.string()),
});

/** The decision. */
export type ExplainAnswer = Shown<typeof explainAnswer>;

export const explainRoutes = defineOperation({
  name: "routes.explain",
  method: "POST",
  path: "/routes/explain",
  summary: "Show which routes a request would try, in order, and why each other one is out.",
  input,
  output: explainAnswer,
  errors: ["not_found", "route_not_selectable"],
  run(deps, question) {
    const { current } = deps.catalogue;
    const named = modelNamed(current, question.model);
    const model = named?.model ?? requireModel(deps, question.model);
    const caller = findCaller(deps, question);
    const wishes = wishesFor(current, question.model, wishesOf(question));
    const facts = makesVideos(model.kind)
      ? factsOfVideo({
        work: videoOf(model, { size: question.size, seconds: question.seconds, wishes }),
        hasReference: question.vision,
        fields: {},
      })
      : factsOfKind(model, question);
    const projectId = caller?.project.id;
    const { sticky } = question;
    const asked = askRoutes(deps, { projectId, wishes, model, facts, sticky });
    const selection = explainSelection(asked);
    const { candidates, rejected, ...decided } = selection;
    return Promise.resolve({
      ...decided,
      ...(facts.video !== undefined && { video: facts.video }),
      ...(caller === undefined
        ? { candidates, rejected }
        : afford(deps, selection, { model, facts, project: caller.project })),
      ...(caller !== undefined && { caller: describeCaller(deps, { ...caller, model }) }),
      notes: [
        ...guardNote(deps),
        ...notesOn(model, question),
        ...rejected.flatMap((refused) => unlistedNote(deps, refused, model)),
        ...candidates.flatMap((candidate) => unsaidNote(deps, candidate, question)),
        ...candidates.flatMap((candidate) => lastResortNote(deps, candidate)),
        ...candidates.flatMap((candidate) => missingKeyNote(deps, candidate)),
        ...candidates.flatMap((candidate) => leftOutNote(deps, candidate, facts)),
        ...(caller === undefined ? model.routes.flatMap((route) => shutNote(deps, route)) : []),
      ],
    });
  },
});

function wishesOf(question: ExplainInput): SourceWishes {
  const { max_price_prompt: input, max_price_completion: output } = question;
  const { provider_order: order, provider_only: only, provider_ignore: ignore } = question;
  const providers: ProviderWishes = {
    ...(order !== undefined && { order }),
    ...(only !== undefined && { only }),
    ...(ignore !== undefined && { ignore }),
    ...(question.without_fallbacks && { noFallbacks: true }),
    ...((input ?? output) !== undefined && {
      maxPrices: { ...(input && { input }), ...(output && { output }) },
    }),
  };
  return {
    provider: question.provider,
    route: question.route,
    preference: question.routing_preference,
    excludeRiskLevels: question.exclude_risk_levels ?? [],
    ...(Object.keys(providers).length > 0 && { providers }),
  };
}

function findCaller(
  deps: AdminDeps,
  question: ExplainInput,
): { project: Project; key: ProjectKey | undefined } | undefined {
  if (question.key !== undefined) {
    const key = requireKey(deps, question.key);
    return { project: requireProject(deps, key.projectId), key };
  }
  if (question.project === undefined) return undefined;
  return { project: requireProject(deps, question.project), key: undefined };
}

/** Sizes each candidate's hold and moves those that the balance does not cover to the rejected. */
function afford(
  deps: AdminDeps,
  { candidates, rejected: refused }: Explanation,
  { model, facts, project }: { model: Model; facts: RequestFacts; project: Project },
): { candidates: readonly AdminCandidate[]; rejected: readonly RouteRefusal[] } {
  const rejected = [...refused];
  const { avail } = deps.ledger.balanceOf(project.id);
  const factsAfter = ({ body }: Route) => factsWithRules(facts, body);
  const { worstCaseE8 } = worstCases({ facts, factsAfter }, project);
  const affordable: AdminCandidate[] = [];
  for (const candidate of candidates) {
    // The model's own: of a wildcard's route each name has a price.
    const route = model.routes.find(({ id }) => id === candidate.route)!;
    const hold = worstCaseE8(route);
    if (hold <= avail) {
      affordable.push({ ...candidate, hold: formatAmount(hold) });
    } else {
      rejected.push({
        route: candidate.route,
        provider: candidate.provider,
        reason: "balance_too_low",
        detail: holdDetail(hold, avail),
      });
    }
  }
  return { candidates: affordable, rejected };
}

function describeCaller(
  deps: AdminDeps,
  { project, key, model }: { project: Project; key: ProjectKey | undefined; model: Model },
): Shown<typeof explainedCaller> {
  const allowed = key === undefined
    ? allowsModel(project.models, model.id)
    : mayUse({ project, key }, model.id);
  const expired = key?.expiresAt !== undefined && key.expiresAt <= deps.clock.now();
  const refusals = [
    !allowed && `the ${key === undefined ? "project" : "key"} may not use ${model.id}`,
    project.disabled && "the project is disabled",
    key?.disabled === true && "the key is disabled",
    expired && "the key has expired",
    ...spendRefusals(deps, "project", project),
    ...(key === undefined ? [] : spendRefusals(deps, "key", key)),
  ].filter((refusal) => refusal !== false);
  return {
    project: project.id,
    key: key?.id ?? null,
    may_use: refusals.length === 0,
    refusals,
    balance: formatAmount(deps.ledger.balanceOf(project.id).avail),
    unlimited: project.unlimited,
  };
}

/** Why a project or key may spend nothing more for now. */
function spendRefusals(
  deps: AdminDeps,
  scope: "project" | "key",
  account: Project | ProjectKey,
): readonly string[] {
  const { paused, reached_budgets: reached } = accountRowOf(deps, scope, account);
  return [
    ...(paused === null ? [] : [`its spend brake has paused the ${scope}`]),
    ...reached.map((period) => `the ${period} budget of the ${scope} is reached`),
  ];
}

function lastResortNote(
  { health }: AdminDeps,
  { route, last_resort }: ExplainedCandidate,
): readonly string[] {
  if (!last_resort) return [];
  const fault = health.coolingFault(route);
  const why = fault === undefined ? "does not answer as it should" : `rests: ${faultWords(fault)}`;
  return [
    `${route} ${why}. No other route is better off, so calls may probe it, one of a project at a ` +
    "time and about once a second, until it answers; the others are refused meanwhile",
  ];
}

/** Without a project the answer is that of whichever is worst off, who may be one of many. */
function shutNote({ health }: AdminDeps, { id }: Route): readonly string[] {
  const projects = health.shutProjects(id);
  if (projects.length === 0) return [];
  const whom = projects.length === 1
    ? `project ${projects[0]}`
    : `${projects.length} projects, such as ${projects[0]},`;
  return [`${id} is shut for ${whom} alone: --project ID shows how it is for another one`];
}

/** What a request loses where it is put in another dialect. */
function unsaidNote(
  { catalogue }: AdminDeps,
  { route }: ExplainedCandidate,
  { dialect }: ExplainInput,
): readonly string[] {
  if (
    dialect === undefined || catalogue.current.isNative(catalogue.current.route(route)!, dialect)
  ) {
    return [];
  }
  const { callers }: Dialect = DIALECTS[dialect];
  return callers?.leftOut === undefined
    ? []
    : [`${route} is asked in another dialect, which leaves out ${callers.leftOut}`];
}

function missingKeyNote(
  deps: AdminDeps,
  { route, provider }: ExplainedCandidate,
): readonly string[] {
  const missing = missingKeysOf(deps, { providerId: provider });
  return missing.length === 0 ? [] : [
    `${route} will fail: ${missing.join(", ")} ${
      missing.length === 1 ? "has" : "have"
    } no value, and its provider has no other key`,
  ];
}

/** Which of the tools a route's upstream never gets to see. */
function leftOutNote(
  deps: AdminDeps,
  { route }: ExplainedCandidate,
  { serverTools = [] }: RequestFacts,
): readonly string[] {
  const { dropTools = [] } = deps.catalogue.current.route(route)!.body;
  const left = serverTools.filter((type) => matchesAny(dropTools, type));
  return left.length === 0
    ? []
    : [`${route} serves the request without ${left.join(", ")}, as its drop_tools says`];
}

/** It is asked about the request itself, which is not known here. */
function guardNote({ guardHost }: AdminDeps): readonly string[] {
  return guardHost === undefined
    ? []
    : [`the guard at ${guardHost} is asked about each request first, and may refuse it`];
}

function notesOn(model: Model, question: ExplainInput): readonly string[] {
  return isSourceNamed(wishesOf(question)) && !model.manualSelection
    ? [`callers may not name a provider or route for ${model.id}: such a call is refused`]
    : [];
}
