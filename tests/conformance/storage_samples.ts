/**
 * Projects, calls and catalogues to store in tests.
 *
 * @module
 */

import { workOfTokens } from "../../src/domain/work.ts";
import type { Project, ProjectKey } from "../../src/domain/account.ts";
import type { ClosedCall, OpenCall } from "../../src/domain/call.ts";
import { type Catalogue, DEFAULT_TIMEOUTS, type Route } from "../../src/domain/catalogue.ts";
import type { PriceVersion } from "../../src/domain/price.ts";
import type { Entry, EntryResult } from "../../src/storage/ports/entry.ts";
import type { Storage } from "../../src/storage/ports/storage.ts";

/** A time in the middle of an hour: 2026-11-21 10:30:00 UTC. */
export const NOON_ISH = Date.UTC(2026, 10, 21, 10, 30);

export function sampleProject(changes: Partial<Project> = {}): Project {
  return {
    id: "acme",
    unlimited: false,
    disabled: false,
    models: ["*"],
    limits: { requestsPerMinute: 600 },
    budgets: {},
    quotas: {},
    createdAt: NOON_ISH,
    ...changes,
  };
}

export function sampleKey(changes: Partial<ProjectKey> = {}): ProjectKey {
  return {
    id: "key_1",
    projectId: "acme",
    name: "laptop",
    prefix: "sk-tg-abcd",
    hash: "a".repeat(64),
    models: undefined,
    limits: {},
    budgets: {},
    expiresAt: undefined,
    disabled: false,
    createdAt: NOON_ISH,
    earlier: undefined,
    ...changes,
  };
}

export function sampleOpenCall(changes: Partial<OpenCall> = {}): OpenCall {
  return {
    callId: 1,
    requestId: "req_1",
    projectId: "acme",
    keyId: "key_1",
    capability: "chat",
    model: "small",
    provider: "openai",
    route: "openai/small",
    priceVersion: 1,
    heldE8: 100n,
    unlimited: false,
    stream: false,
    openedAt: NOON_ISH,
    ...changes,
  };
}

export function sampleClosedCall(changes: Partial<ClosedCall> = {}): ClosedCall {
  return {
    ...sampleOpenCall(),
    state: "settled",
    result: "completed",
    closedAt: NOON_ISH + 800,
    firstByteMs: 120,
    attempts: 1,
    work: workOfTokens({
      promptTokens: 10,
      completionTokens: 5,
      cachedTokens: 4,
      cacheWriteTokens: 2,
      reasoningTokens: 1,
    }),
    usageSource: "reported",
    costE8: 20n,
    saleE8: 30n,
    chargedE8: 30n,
    lossE8: 0n,
    errorCode: undefined,
    ...changes,
  };
}

export function samplePrices(changes: Partial<PriceVersion> = {}): PriceVersion {
  return {
    version: 0,
    routeId: "openai/small",
    currency: "USD",
    cost: { input: 25_000_000n, cachedInput: 2_500_000n, output: 200_000_000n },
    sale: { kind: "markup", factorE8: 110_000_000n },
    ...changes,
  };
}

export function sampleRoute(changes: Partial<Route> = {}): Route {
  const id = changes.id ?? "openai/small";
  return {
    id,
    modelId: "small",
    providerId: "openai",
    upstreamModel: "gpt-small",
    riskLevel: "low",
    priority: 0,
    weight: 1.5,
    enabled: true,
    maintenance: false,
    supports: { tools: true, contextTokens: 400_000 },
    limits: { concurrent: 50 },
    body: { set: { a: null }, default: { b: [1, "x"] }, drop: ["c"] },
    prices: samplePrices({ routeId: id }),
    video: undefined,
    ...changes,
  };
}

export function sampleCatalogue(routes: readonly Route[] = [sampleRoute()]): Catalogue {
  return {
    currency: "USD",
    providers: [
      {
        id: "openai",
        kind: "openai_compatible",
        baseUrl: "https://api.openai.com/v1",
        apiKeys: ["env:OPENAI_API_KEY"],
        auth: { kind: "header", name: "api-key" },
        official: true,
        headers: { "x-team": "gateway" },
        query: { "api-version": "1" },
        timeouts: DEFAULT_TIMEOUTS,
      },
      {
        id: "builtin",
        kind: "builtin",
        baseUrl: undefined,
        apiKeys: [],
        auth: { kind: "none" },
        official: false,
        headers: {},
        query: {},
        timeouts: DEFAULT_TIMEOUTS,
      },
    ],
    models: [{
      id: "small",
      kind: "chat",
      aliases: ["s"],
      manualSelection: true,
      createdAt: 1_790_000_000,
      routes,
    }],
  };
}

/** Commits one entry and gives its result. */
export async function commitOne(storage: Storage, entry: Entry): Promise<EntryResult> {
  return (await storage.commitBatch([entry]))[0]!;
}

/** Commits entries one batch each. */
export async function commitEach(storage: Storage, entries: readonly Entry[]) {
  const results: EntryResult[] = [];
  for (const entry of entries) results.push(await commitOne(storage, entry));
  return results;
}

/** Results as words: `ok`, `repeated` or the reason. */
export function words(results: readonly EntryResult[]): string[] {
  return results.map((result) =>
    result.ok ? result.repeated === true ? "repeated" : "ok" : result.reason
  );
}

/** The balance of `acme`, or of whichever project is the only one. */
export async function acmeBalance(
  storage: Storage,
): Promise<{ readonly avail: bigint; readonly held: bigint }> {
  const [balance] = await storage.accounts.loadBalances();
  return { avail: balance!.avail, held: balance!.held };
}

/** Project `acme` with a balance. */
export async function fundProject(storage: Storage, amountE8: bigint): Promise<void> {
  const results = await storage.commitBatch([
    { kind: "create_project", project: sampleProject() },
    { kind: "credit", projectId: "acme", amountE8, reference: undefined, at: NOON_ISH },
  ]);
  if (results.some((result) => !result.ok)) {
    throw new Error(`Cannot fund the project: ${JSON.stringify(results)}`);
  }
}
