/**
 * Providers: what is configured, and whether they answer.
 *
 * @module
 */

import * as z from "zod";
import type { Provider } from "../domain/catalogue.ts";
import type { KeyState, ProviderCheck } from "../providers/provider.ts";
import type { AdminDeps } from "./deps.ts";
import { unknownName } from "./not_found.ts";
import { defineOperation } from "./operation.ts";
import { type Page, pageFields, pageOfItems } from "./page.ts";

/** A provider as shown: secrets are references, headers and queries only named. */
export interface ProviderRow {
  readonly id: string;
  readonly kind: Provider["kind"];
  readonly base_url: string | null;
  readonly official: boolean;
  /** `env:NAME`, `file:PATH` or `credential:NAME`, never a value. */
  readonly api_keys: readonly string[];
  /** How each of them is; empty where none is sent. */
  readonly key_states: readonly KeyRow[];
  readonly auth: string;
  readonly headers: readonly string[];
  readonly query: readonly string[];
  readonly models: readonly string[];
  readonly routes: number;
}

/** A key as shown, by its reference. */
export interface KeyRow {
  readonly key: string;
  /** `resting`: the upstream refused it or it is exhausted; `no_value`: nothing is behind it. */
  readonly state: KeyState["state"];
  readonly seconds: number;
  /** What the upstream said, while it rests. */
  readonly why: string | null;
}

/** A provider's answer to a free question. */
export interface ProviderTestRow extends ProviderCheck {
  readonly provider: string;
}

/** The longest that one provider is waited for. */
const TEST_MS = 15_000;

export const listProviders = defineOperation({
  name: "providers.list",
  method: "GET",
  path: "/providers",
  summary: "Lists the configured providers.",
  input: z.strictObject(pageFields),
  run({ catalogue, registry }, page): Promise<Page<ProviderRow>> {
    const { providers, models } = catalogue.current.catalogue;
    const show = (provider: Provider): ProviderRow => {
      const routes = models.flatMap((model) => model.routes)
        .filter(({ providerId }) => providerId === provider.id);
      return {
        id: provider.id,
        kind: provider.kind,
        base_url: provider.baseUrl ?? null,
        official: provider.official,
        api_keys: provider.apiKeys,
        key_states: registry.provider(provider.id)?.keyStates().map(keyRow) ?? [],
        auth: provider.auth.kind === "header"
          ? `header: ${provider.auth.name}`
          : provider.auth.kind,
        headers: Object.keys(provider.headers),
        query: Object.keys(provider.query),
        models: [...new Set(routes.map(({ modelId }) => modelId))],
        routes: routes.length,
      };
    };
    return Promise.resolve(pageOfItems(providers, { ...page, show, what: "provider" }));
  },
});

function keyRow({ key, state, seconds, refusal }: KeyState): KeyRow {
  if (refusal === undefined) return { key, state, seconds, why: null };
  const { status, fault, failure } = refusal;
  const what = fault === "account" || failure === "busy" ? "exhausted" : "refused";
  return { key, state, seconds, why: status === undefined ? what : `${what} (${status})` };
}

export const testProviders = defineOperation({
  name: "providers.test",
  method: "POST",
  readOnly: true,
  path: "/providers/test",
  summary: "Asks one provider, or all, something free; never calls a paid model.",
  input: z.strictObject({ provider: z.string().min(1).optional() }),
  run(deps, { provider }): Promise<readonly ProviderTestRow[]> {
    const ids = deps.catalogue.current.catalogue.providers.map(({ id }) => id);
    if (provider !== undefined && !ids.includes(provider)) {
      throw unknownName("provider", provider, ids);
    }
    return Promise.all(
      (provider === undefined ? ids : [provider]).map((id) => testProvider(deps, id)),
    );
  },
});

/** Asks one provider of the registry something free; never rejects for what it answers. */
export async function testProvider(
  { registry }: Pick<AdminDeps, "registry">,
  id: string,
): Promise<ProviderTestRow> {
  const found = registry.provider(id);
  if (found === undefined) {
    throw new Error(`Cannot test provider '${id}': it is not in the registry`);
  }
  // A timer of its own instead of AbortSignal.timeout, which would outlive the test.
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), TEST_MS);
  const started = performance.now();
  try {
    return { provider: id, ...await found.check(controller.signal) };
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
  }
}
