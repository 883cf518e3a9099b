/**
 * Providers: what is configured, and whether they answer.
 *
 * @module
 */

import * as z from "zod";
import { isWildcard } from "../../catalog/wildcard.ts";
import type { Shown } from "../../documents/shown.ts";
import type { Catalogue, Provider, Route } from "../../domain/catalogue.ts";
import { vendorOf } from "../../vendors/presets.ts";
import type {
  KeyState,
  Provider as RegisteredProvider,
} from "../../providers/contract/provider.ts";
import { shownCount } from "../base/fields.ts";
import type { AdminDeps } from "../base/deps.ts";
import { GatewayError } from "../../errors.ts";
import { replacePart, withoutPart } from "./merge_settings.ts";
import { pieceOperations } from "./piece_operations.ts";
import { unknownName } from "../base/not_found.ts";
import { toldOtherwise } from "./told_otherwise.ts";
import { defineOperation } from "../base/operation.ts";

/** A provider as shown: secrets are references, headers and queries only named. */
const shownProvider = z.object({
  id: z.string(),
  kind: z.string(),
  base_url: z.string().nullable(),
  official: z.boolean(),
  api_keys: z.array(z.string()).describe("env:NAME, file:PATH or credential:NAME, never a value"),
  key_states: z.array(z.object({
    key: z.string(),
    state: z.enum(["ready", "resting", "no_value"]).describe(
      "resting: the upstream refused it or it is exhausted; no_value: nothing is behind it",
    ),
    seconds: z.number(),
    why: z.string().nullable().describe("What the upstream said, while it rests"),
  })).describe("How each of them is; empty where none is sent"),
  auth: z.string(),
  headers: z.array(z.string()),
  query: z.array(z.string()),
  models: z.array(z.string()),
  routes: shownCount,
});

export type ProviderRow = Shown<typeof shownProvider>;

/** A provider's answer to a free question. */
const shownProviderTest = z.object({
  provider: z.string(),
  ok: z.boolean(),
  checked: z.boolean().describe(
    "Whether what answered is the API that was meant, and took the key",
  ),
  detail: z.string(),
  milliseconds: z.number(),
});

export type ProviderTestRow = Shown<typeof shownProviderTest>;

/** The longest that one provider is waited for. */
const TEST_MS = 15_000;
/** Models that one test asks after. */
const MOST_ASKED = 50;

function providerRow(
  { catalogue, registry }: Pick<AdminDeps, "catalogue" | "registry">,
  provider: Provider,
): ProviderRow {
  const routes = catalogue.current.models.flatMap((model) => model.routes)
    .filter(({ providerId }) => providerId === provider.id);
  return {
    id: provider.id,
    kind: provider.kind,
    base_url: provider.baseUrl ?? null,
    official: provider.official,
    api_keys: provider.apiKeys,
    key_states: registry.provider(provider.id)?.keyStates().map(keyRow) ?? [],
    auth: provider.auth.kind === "header" ? `header: ${provider.auth.name}` : provider.auth.kind,
    headers: Object.keys(provider.headers),
    query: Object.keys(provider.query),
    models: [...new Set(routes.map(({ modelId }) => modelId))],
    routes: routes.length,
  };
}

/**
 * The provider of that id.
 *
 * @throws {GatewayError} `not_found`.
 */
function requireProvider(
  { catalogue }: Pick<AdminDeps, "catalogue">,
  id: string,
): Provider {
  const { providers } = catalogue.current.catalogue;
  const provider = providers.find((one) => one.id === id);
  if (provider === undefined) throw unknownName("provider", id, providers.map((one) => one.id));
  return provider;
}

function keyRow({ key, state, seconds, refusal }: KeyState): ProviderRow["key_states"][number] {
  if (refusal === undefined) return { key, state, seconds, why: null };
  const { status, fault, failure } = refusal;
  const what = fault === "account" || failure === "busy" ? "exhausted" : "refused";
  return { key, state, seconds, why: status === undefined ? what : `${what} (${status})` };
}

export const { list: listProviders, show: showProvider, set: setProvider, delete: deleteProvider } =
  pieceOperations(
    "provider",
    {
      summaries: {
        list: "List the configured providers.",
        show: "Show a provider, with its settings as a catalogue file has them and their version.",
        set: "Add a provider, or change the given settings of one.",
        delete: "Delete a provider that no route uses.",
      },
      all: ({ catalogue }) => catalogue.current.catalogue.providers,
      shown: shownProvider,
      row: providerRow,
      require: requireProvider,
      put: (document, part) => ({ ...document, providers: replacePart(document.providers, part) }),
      without(document, id) {
        const users = document.models.flatMap(({ routes }) => routes)
          .filter(({ provider }) => provider === id).map((route) => String(route.id));
        if (users.length > 0) throw stillUsed(id, users);
        return { ...document, providers: withoutPart(document.providers, id) };
      },
    },
  );

const MOST_TOLD = 5;

function stillUsed(id: string, routes: readonly string[]): GatewayError {
  const more = routes.length > MOST_TOLD ? ` and ${routes.length - MOST_TOLD} more` : "";
  return new GatewayError(
    "conflict",
    `Cannot delete provider '${id}' while there are routes of it: ` +
      `${routes.slice(0, MOST_TOLD).join(", ")}${more}. Delete those first, or give them another ` +
      "provider with `tollgate routes set`",
  );
}

export const testProviders = defineOperation({
  name: "providers.test",
  method: "POST",
  path: "/providers/test",
  role: "operator",
  isLong: true,
  summary: "Ask one provider, or all, something free; never call a paid model.",
  input: z.strictObject({
    provider: z.string().min(1).optional().describe("one provider (default: all)"),
  }),
  output: z.array(shownProviderTest),
  errors: ["not_found"],
  async run(deps, { provider }) {
    const ids = deps.catalogue.current.catalogue.providers.map(({ id }) => id);
    if (provider !== undefined) requireProvider(deps, provider);
    const signal = deps.watcher?.signal;
    const rows = await Promise.all(
      (provider === undefined ? ids : [provider]).map((id) => testProvider(deps, id, signal)),
    );
    // What was broken off says nothing of the providers.
    signal?.throwIfAborted();
    return rows;
  },
});

/** Routes to models that the upstream does not list, and what to do about it. */
function unlisted(
  { models, providers }: Catalogue,
  id: string,
  names: readonly string[],
): readonly string[] {
  // Some leave out the usual tag.
  const listed = new Set(names.flatMap((name) => [name, name.replace(/:latest$/, "")]));
  const missing = routesOf(models, id).filter(({ upstreamModel }) => !listed.has(upstreamModel));
  const provider = providers.find((one) => one.id === id);
  const isOllama = provider !== undefined && vendorOf(provider) === "ollama";
  return firstOf(
    missing,
    ({ id: route, upstreamModel }) =>
      `it does not list ${upstreamModel}, the model of route ${route}` +
      (isOllama ? `: ollama pull ${upstreamModel}` : ""),
  );
}

/** Routes to models that the upstream says that it does not have, where it can be asked for nothing. */
async function unknown(
  { models }: Catalogue,
  { id, unknownModels }: RegisteredProvider,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (unknownModels === undefined) return [];
  const routes = routesOf(models, id);
  const names = [...new Set(routes.map(({ upstreamModel }) => upstreamModel))];
  const missing = new Set(await unknownModels(names.slice(0, MOST_ASKED), signal));
  return firstOf(
    routes.filter(({ upstreamModel }) => missing.has(upstreamModel)),
    ({ id: route, upstreamModel }) =>
      `it has no deployment ${upstreamModel}, the upstream_model of route ${route}: deploy it, or ` +
      "write the name of one that it has",
  );
}

/** A wildcard's models are its callers' to name. */
function routesOf(models: Catalogue["models"], provider: string): readonly Route[] {
  return models.flatMap((model) => isWildcard(model.id) ? [] : model.routes)
    .filter(({ providerId }) => providerId === provider);
}

function firstOf(routes: readonly Route[], words: (route: Route) => string): readonly string[] {
  const more = routes.length - MOST_TOLD;
  return [
    ...routes.slice(0, MOST_TOLD).map(words),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

/**
 * Asks one provider of the registry something free; never rejects for what it answers.
 *
 * @param ending Ends it before its time; what it gives then says nothing.
 */
export async function testProvider(
  { registry, catalogue }: Pick<AdminDeps, "registry"> & {
    readonly catalogue: { readonly current: { readonly catalogue: Catalogue } };
  },
  id: string,
  ending?: AbortSignal,
): Promise<ProviderTestRow> {
  const found = registry.provider(id);
  if (found === undefined) {
    const detail = "this version of the gateway knows no providers of its kind";
    return { provider: id, ok: false, checked: false, detail, milliseconds: 0 };
  }
  // A timer of its own instead of AbortSignal.timeout, which would outlive the test.
  const controller = new AbortController();
  const end = () => controller.abort();
  const timer = setTimeout(end, TEST_MS);
  ending?.addEventListener("abort", end, { once: true });
  const started = performance.now();
  try {
    const { names, detail, ...check } = await found.check(controller.signal);
    const { catalogue: all } = catalogue.current;
    const missing = names !== undefined
      ? unlisted(all, id, names)
      : check.checked
      ? await unknown(all, found, controller.signal)
      : [];
    const { ok, checked, milliseconds } = check;
    const other = ok && checked
      ? await toldOtherwise(catalogue.current.catalogue, found, controller.signal)
      : [];
    return {
      provider: id,
      ok,
      checked,
      detail: [detail, ...missing, ...other].join("; "),
      milliseconds,
    };
  } catch (error) {
    const detail = controller.signal.aborted
      ? `No answer within ${TEST_MS / 1000} seconds`
      : error instanceof Error
      ? error.message
      : String(error);
    return {
      provider: id,
      ok: false,
      checked: false,
      detail,
      milliseconds: Math.round(performance.now() - started),
    };
  } finally {
    clearTimeout(timer);
    ending?.removeEventListener("abort", end);
  }
}
