/**
 * `routes explain`: the decision that a request would meet, with the figures
 * that make it. Calls nobody.
 *
 * @module
 */

import * as z from "zod";
import { videoOf } from "../catalog/video_offer.ts";
import type { Project } from "../domain/account.ts";
import type { Shown } from "../documents/shown.ts";
import { makesVideos, type ModelKind } from "../domain/capabilities.ts";
import { type Model, RISK_LEVELS, type Route } from "../domain/catalogue.ts";
import type { Dialect } from "../dialects/base/dialect.ts";
import { DIALECTS } from "../dialects/registry.ts";
import { NATIVE_DIALECTS } from "../providers/kinds.ts";
import { formatAmount } from "../domain/money.ts";
import { matchesAny } from "../domain/name_patterns.ts";
import { faultWords } from "../domain/upstream_error.ts";
import { type RequestFacts } from "../domain/request_facts.ts";
import { GatewayError, type RouteRefusal } from "../errors.ts";
import { holdDetail } from "../planning/refusals.ts";
import { factsOfVideo } from "../planning/facts_of_video.ts";
import { factsWithRules } from "../planning/facts_after_rules.ts";
import { modelNamed, wishesFor } from "../planning/model_names.ts";
import { usable } from "../planning/plan_calls.ts";
import { askRoutes, worstCases } from "../planning/plan_call.ts";
import { type ExplainedCandidate, explainSelection, type Explanation } from "../routing/explain.ts";
import { isSourceNamed } from "../routing/constraints.ts";
import type { AdminDeps } from "./base/deps.ts";
import {
  describeCaller,
  type ExplainCaller,
  explainedCaller,
  findCaller,
  mayUseModel,
} from "./explain_caller.ts";
import { wishesOf, wishFields } from "./explain_wishes.ts";
import { factsOfKind, mediaFields } from "./explain_facts.ts";
import { listField, shownAmount } from "./base/fields.ts";
import { missingKeysOf, requireModel } from "./catalogue/models.ts";
import { withReasons } from "./catalogue/switched_off_words.ts";
import { defineOperation } from "./base/operation.ts";
import { optionWords } from "./base/option_words.ts";
import { shownText } from "./base/shown_path.ts";
import { unlistedNote } from "./unlisted_note.ts";

/** Prompt tokens where the question names none: a short conversation. */
const DEFAULT_PROMPT_TOKENS = 1000;

const count = z.int().min(0).max(1_000_000_000);

const input = z.strictObject({
  model: z.string().min(1).describe("logical model or alias, with ':floor' or ':nitro' behind it"),
  ...wishFields,
  stream: z.boolean().default(false).describe("the request streams"),
  tools: z.boolean().default(false).describe("the request offers tools"),
  vision: z.boolean().default(false).describe(
    "the request has an image, for a film: begins with one, for images: makes them of one",
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

const explainAnswer = z.object({
  model: z.string(),
  models: z.array(z.string()).optional().describe(
    "Where several were asked about: those whose routes would be tried, in this order",
  ),
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
  role: "viewer",
  summary: "Show which routes a request would try, in order, and why each other one is out.",
  input,
  output: explainAnswer,
  errors: ["not_found", "route_not_selectable", "model_not_allowed"],
  run(deps, question) {
    const caller = findCaller(deps, question);
    const names = [...new Set([question.model, ...question.models ?? []])];
    let kind: ModelKind | undefined;
    const { asked, leftOut } = usable(names, (name) => {
      const found = askModel(deps, name, { caller, names });
      kind ??= found.model.kind;
      if (found.model.kind !== kind) throw otherKind(found.model, kind);
      return found;
    });
    const explained = asked.map((model) => explainModel(deps, { ...model, question, caller }));
    const { model: _, ...decided } = explained[0]!;
    return Promise.resolve({
      model: asked[0]!.model.id,
      ...(names.length > 1 && { models: asked.map(({ model }) => model.id) }),
      ...decided,
      candidates: explained.flatMap(({ candidates }) => candidates),
      rejected: explained.flatMap(({ rejected }) => rejected),
      notes: [
        ...guardNote(deps),
        ...leftOut.map(({ name, error }) => `'${name}' of models is left out: ${error.message}`),
        ...explained.flatMap(({ notes }) => notes),
      ],
    });
  },
});

interface AskedModel {
  readonly name: string;
  readonly model: Model;
}

/**
 * The model of a name. Where several are asked for, those that a caller may not use are left out.
 *
 * @throws {GatewayError} `not_found` or `model_not_allowed`.
 */
function askModel(
  deps: AdminDeps,
  name: string,
  { caller, names }: {
    readonly caller: ExplainCaller | undefined;
    readonly names: readonly string[];
  },
): AskedModel {
  const model = modelNamed(deps.catalogue.current, name)?.model ?? requireModel(deps, name);
  const isAllowed = caller === undefined || names.length === 1 || mayUseModel(caller, model);
  if (isAllowed) return { name, model };
  throw new GatewayError("model_not_allowed", `the caller may not use the model '${model.id}'`);
}

/** One request asks models of one kind: its path says which, here the first model does. */
function otherKind({ id, kind }: Model, wanted: ModelKind): GatewayError {
  return new GatewayError(
    "invalid_value",
    `the model '${id}' is of kind '${kind}', and the request is for one of kind '${wanted}'`,
    { param: "model" },
  );
}

/** The decision about the routes of one model. */
function explainModel(
  deps: AdminDeps,
  { name, model, question, caller }: AskedModel & {
    readonly question: ExplainInput;
    readonly caller: ExplainCaller | undefined;
  },
) {
  const wishes = wishesFor(deps.catalogue.current, name, wishesOf(question));
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
  const explained = explainSelection(asked);
  const selection = { ...explained, rejected: withReasons(explained.rejected, model) };
  const { candidates, rejected, ...decided } = selection;
  return {
    ...decided,
    ...(facts.video !== undefined && { video: facts.video }),
    ...(caller === undefined
      ? { candidates, rejected }
      : afford(deps, selection, { model, facts, project: caller.project })),
    ...(caller !== undefined && { caller: describeCaller(deps, { ...caller, model }) }),
    notes: [
      ...notesOn(model, question),
      ...stickyNote(model, question, candidates),
      ...rejected.flatMap((refused) => unlistedNote(deps, refused, model)),
      ...candidates.flatMap((candidate) => unsaidNote(deps, candidate, question)),
      ...candidates.flatMap((candidate) => lastResortNote(deps, candidate)),
      ...candidates.flatMap((candidate) => missingKeyNote(deps, candidate)),
      ...candidates.flatMap((candidate) => leftOutNote(deps, candidate, facts)),
      ...(caller === undefined ? model.routes.flatMap((route) => shutNote(deps, route)) : []),
    ],
  };
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

/** What becomes of a conversation that cannot stay where its thoughts were sealed. */
function stickyNote(
  { routes }: Model,
  { sticky }: ExplainInput,
  candidates: readonly ExplainedCandidate[],
): readonly string[] {
  if (sticky === undefined || candidates.some((candidate) => candidate.sticky)) return [];
  const why = routes.some(({ id }) => id === sticky)
    ? "cannot serve now"
    : "is none of this model's";
  return [
    `${sticky} ${why}: the conversation goes on elsewhere, without the sealed thoughts that nobody ` +
    "else can read",
  ];
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
  const missing = missingKeysOf(deps, { providerId: provider })
    .map((key) => shownText(deps.origin, key));
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
