/**
 * Whose model a deployment of LiteLLM is of: its prefixes by our vendors and by servers with OpenAI's API.
 *
 * @module
 */

import servers from "../../../vendors/servers.json" with { type: "json" };

/** LiteLLM's names of vendors by ours. */
const VENDORS: ReadonlyMap<string, string> = new Map(Object.entries({
  anthropic: "anthropic",
  azure: "azure",
  azure_ai: "azure",
  azure_text: "azure",
  bedrock: "bedrock",
  bedrock_converse: "bedrock",
  deepseek: "deepseek",
  fireworks_ai: "fireworks",
  gemini: "gemini",
  groq: "groq",
  hosted_vllm: "vllm",
  lm_studio: "lmstudio",
  mistral: "mistral",
  ollama: "ollama",
  ollama_chat: "ollama",
  openai: "openai",
  openrouter: "openrouter",
  "text-completion-openai": "openai",
  together_ai: "together",
  vertex_ai: "vertex",
  vertex_ai_beta: "vertex",
  vllm: "vllm",
  xai: "xai",
}));

/** Servers with OpenAI's API that are nobody's in particular: their address has to be told. */
const NAMELESS: ReadonlySet<string> = new Set([
  "custom_openai",
  "docker_model_runner",
  "infinity",
  "lemonade",
  "litellm_proxy",
  "llamafile",
  "openai_like",
  "xinference",
]);

/** Ways of a vendor that stand before the model's name. */
const WAYS: Readonly<Record<string, RegExp>> = {
  azure: /^(?:responses|o_series|gpt5_series|global|global-standard|us|eu)\//,
  bedrock: /^(?:(?:converse|converse_like|invoke|mantle|[a-z]{2}(?:-gov)?-[a-z]+-\d)\/)+/,
  gemini: /^models\//,
  openai: /^(?:responses|chat)\//,
};

/** A server with OpenAI's API whose address is known. */
export interface KnownServer {
  readonly base_url: string;
  /** The variable that usually holds its key. */
  readonly key: string;
}

const SERVERS: Readonly<Record<string, KnownServer | undefined>> = servers;

/** Whose a model is, and its name there. */
export interface ModelOwner {
  /** One of ours; `undefined`: any server with OpenAI's API. */
  readonly vendor: string | undefined;
  /** What the provider is called where it is of no vendor. */
  readonly name: string;
  readonly server?: KnownServer | undefined;
  readonly upstream: string;
}

/** `undefined` where LiteLLM's vendor has no equal here; then `told` is its prefix. */
export function ownerOf(told: string, custom: string | undefined): ModelOwner | undefined {
  const [first, ...rest] = told.split("/");
  const prefix = custom ?? (rest.length > 0 ? first! : usualOwner(told));
  const named = rest.length > 0 && first === prefix ? rest.join("/") : told;
  const vendor = VENDORS.get(prefix);
  if (vendor !== undefined) {
    const upstream = WAYS[vendor] === undefined ? named : named.replace(WAYS[vendor], "");
    // Claude in Foundry speaks Anthropic's dialect.
    if (prefix === "azure_ai" && /^claude/.test(upstream)) {
      return { vendor: undefined, name: "foundry", upstream };
    }
    return { vendor, name: vendor, upstream: wholeName(vendor, upstream) };
  }
  const server = Object.hasOwn(SERVERS, prefix) ? SERVERS[prefix] : undefined;
  if (server === undefined && !NAMELESS.has(prefix)) return undefined;
  const name = server === undefined ? "server" : prefix.replaceAll("_", "-");
  return { vendor: undefined, name, server, upstream: named };
}

/** Whose LiteLLM takes a model for that has no prefix. */
function usualOwner(model: string): string {
  if (/^claude/.test(model)) return "anthropic";
  return /^(?:gemini|text-embedding-00|textembedding-gecko)/.test(model) ? "vertex_ai" : "openai";
}

/** LiteLLM writes the beginning that all of Fireworks' names have. */
function wholeName(vendor: string, upstream: string): string {
  return vendor === "fireworks" && !upstream.includes("/") && upstream !== "*"
    ? `accounts/fireworks/models/${upstream}`
    : upstream;
}
