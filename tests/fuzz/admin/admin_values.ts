/**
 * Values that exist here, by the name of the field of administration that takes them.
 *
 * @module
 */

import type { SeededRandom } from "../../support/seeded_random.ts";
import type { Hints } from "../generate/schema_values.ts";
import type { AdminIdKind, AdminIds } from "./admin_ids.ts";

const PROJECTS = ["mine", "theirs", "spare"];
const PROVIDERS = ["builtin", "remote", "spare"];
const MODELS = ["echo", "plain", "native", "vectors", "film", "spare"];
const ROUTES = ["builtin/echo", "remote/plain", "builtin/film", "remote/vectors", "spare/one"];
/** Every address that a request may bring in: nothing answers there. */
const NOWHERE = "http://127.0.0.1:9/v1";
const TIMES = ["today", "2026-01-01", "2026-01-01T00:00:00Z", "30d"];
/** What pages of lists go on behind, by the end of the list's path. */
const PLACES: Readonly<Record<string, AdminIdKind>> = {
  keys: "key",
  calls: "request",
  videos: "video",
  batches: "batch",
  files: "file",
  webhooks: "webhook",
  tokens: "token",
  jobs: "job",
};

const IDS: Readonly<Record<string, AdminIdKind>> = {
  key_id: "key",
  video_id: "video",
  batch_id: "batch",
  file_id: "file",
  webhook_id: "webhook",
  request_id: "request",
  token_id: "token",
  job_id: "job",
};

const PIECES: Readonly<Record<string, readonly object[]>> = {
  providers: [{ kind: "openai_compatible", base_url: NOWHERE, api_key: "env:NONE" }, {
    base_url: NOWHERE,
  }],
  models: [{ kind: "chat", aliases: ["tiny"] }, { aliases: [] }],
  routes: [{ provider: "builtin", model: "echo", upstream_model: "echo-1", free: true }, {
    weight: 2,
  }, { priority: 1 }],
};

const CATALOGUE_TEXT = `
providers: [{ id: spare, kind: openai_compatible, base_url: "${NOWHERE}", auth: none }]
models:
  - id: spare
    kind: chat
    routes: [{ id: spare/one, provider: spare, upstream_model: one, free: true }]
projects: [{ id: spare }]
`;

const PRICES_TEXT = `currency: USD
rows:
  - { vendor: openai, model: gpt-5-mini, kind: chat, cost: { input: "0.20", output: "1.50" }, source: contract, date: 2026-11-22 }
`;

/** Hints for the operation at a path. */
export function adminHints(path: string, ids: AdminIds): Hints {
  const [, piece = ""] = /\/catalogue\/(\w+)\/\{id\}$/.exec(path) ?? [];
  return (field, random) => {
    if (field in IDS) return ids.pick(IDS[field]!, random);
    switch (field) {
      case "id":
        return idAt(path, random);
      case "project":
        return random.pick(PROJECTS);
      case "key":
        return ids.pick("key", random);
      case "model":
      case "models":
        return field === "model" ? random.pick(MODELS) : [random.pick(MODELS)];
      case "provider":
        return random.pick(PROVIDERS);
      case "route":
        return random.pick(ROUTES);
      case "settings":
        return random.pick(PIECES[piece] ?? [{}]);
      case "text":
        return path.endsWith("/prices") ? PRICES_TEXT : CATALOGUE_TEXT;
      case "file":
        return random.pick(["next.yaml", "/etc/passwd", "../../etc/passwd"]);
      case "base_url":
        return NOWHERE;
      case "api_key":
      case "credentials":
        return random.pick(["env:NONE", "env:SECURITY_UPSTREAM_KEY", "file:/etc/passwd"]);
      case "vendor":
        return random.pick(["openai", "ollama", "groq", "anthropic"]);
      case "amount":
        return random.pick(["1", "0.00000001", "25.50"]);
      case "grace":
        return random.pick(["12h", "1d", "0s"]);
      case "expires":
        return random.pick(["30d", "2099-01-01"]);
      case "from":
        return random.pick(TIMES);
      case "to":
        return path.endsWith("/move") ? random.pick(["front", "up", "down", "back"]) : "2099-01-01";
      case "by":
        return random.pick(["project", "key", "model", "day", "hour"]);
      case "status":
        return path.endsWith("/calls") ? random.pick(["served", "failed", "refused"]) : undefined;
      case "dearer_than":
        return random.pick(["0", "0.05", "10"]);
      case "daily":
      case "monthly":
        return random.pick(["25.00", "0.01"]);
      case "tag":
        return random.chance(0.8) ? "team=a" : undefined;
      case "after":
        return placeAt(path, ids, random);
      case "role":
        return random.pick(["viewer", "operator", "member", "owner"]);
      case "begins":
        return ids.pick("key", random).slice(0, 8);
      case "offline":
        return random.chance(0.9) ? true : undefined;
      default:
        return /^max_price_/.test(field) ? random.pick(["0", "2.50"]) : undefined;
    }
  };
}

function placeAt(path: string, ids: AdminIds, random: SeededRandom): string {
  const end = path.slice(path.lastIndexOf("/") + 1);
  const kind = PLACES[end];
  if (kind !== undefined) return ids.pick(kind, random);
  return random.pick(end === "routes" ? ROUTES : end === "models" ? MODELS : PROJECTS);
}

function idAt(path: string, random: SeededRandom): string {
  if (path.includes("/models/")) return random.pick(MODELS);
  if (path.includes("/routes/")) return random.pick(ROUTES);
  if (path.includes("/projects")) return random.pick([...PROJECTS, "another"]);
  return random.pick(PROVIDERS);
}

/** What is asked: by the path's names, and besides. */
export interface PlainInput {
  readonly path: Readonly<Record<string, unknown>>;
  readonly rest: Readonly<Record<string, unknown>>;
}

/**
 * What an operation is asked once at first, as its document wants it, so that every run does each of
 * them; the others need nothing.
 */
export function plainInput(id: string, ids: AdminIds): PlainInput {
  const mine = (kind: AdminIdKind) => ids.last("mine", kind);
  const inputs: Readonly<Record<string, () => Readonly<Record<string, unknown>>>> = {
    "catalogue.apply": () => ({ text: CATALOGUE_TEXT }),
    "projects.create": () => ({ id: "another" }),
    "projects.set": () => ({ project: "spare", limits: { concurrent: 3 } }),
    "projects.credit": () => ({ project: "mine", amount: "1" }),
    "projects.disable": () => ({ project: "spare" }),
    "projects.enable": () => ({ project: "spare" }),
    "projects.forget_prompts": () => ({ project: "spare" }),
    "keys.create": () => ({ project: "mine", name: "plain" }),
    "keys.find": () => ({ begins: mine("key").slice(0, 8) }),
    "tokens.create": () => ({ name: "plain", role: "viewer" }),
    "tokens.revoke": () => ({ token_id: ids.last("", "token") }),
    "providers.set": () => ({ id: "plain", settings: PIECES.providers![0] }),
    "providers.show": () => ({ id: "remote" }),
    "providers.models": () => ({ id: "remote" }),
    "providers.delete": () => ({ id: "plain" }),
    "providers.add": () => ({
      vendor: "ollama",
      id: "local",
      base_url: NOWHERE,
      models: ["llama"],
    }),
    "providers.test": () => ({ provider: "builtin" }),
    "prices.update": () => ({ text: PRICES_TEXT }),
    "models.set": () => ({ id: "echo", settings: { aliases: ["tiny"] } }),
    "models.show": () => ({ id: "echo" }),
    "models.delete": () => ({ id: "spare" }),
    "routes.set": () => ({ id: "builtin/echo", settings: { weight: 2 } }),
    "routes.show": () => ({ id: "builtin/echo" }),
    "routes.delete": () => ({ id: "remote/vectors" }),
    "routes.disable": () => ({ route: "remote/plain", reason: "to be looked at" }),
    "routes.enable": () => ({ route: "remote/plain" }),
    "routes.maintenance": () => ({ route: "remote/plain", maintenance: false }),
    "routes.explain": () => ({ model: "echo" }),
    "batches.cancel": () => ({ batch_id: mine("open_batch") }),
    "videos.pause": () => ({ model: "film" }),
    "videos.resume": () => ({ model: "film" }),
    "videos.move": () => ({ video_id: mine("queued_video"), to: "front" }),
    "videos.retry": () => ({ video_id: mine("failed_video") }),
    "videos.delete": () => ({ video_id: ids.last("theirs", "video") }),
    "usage.report": () => ({ by: "key" }),
    "doctor.run": () => ({ offline: true }),
  };
  const given = inputs[id]?.() ?? {};
  const parts: Record<string, unknown> = { project: "mine" };
  for (const [field, kind] of Object.entries(IDS)) {
    if (ids.has(kind)) parts[field] = ids.has(kind, "mine") ? mine(kind) : ids.last("", kind);
  }
  return { path: { ...parts, ...given }, rest: given };
}
