/**
 * A catalogue file that uses every part of the format.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type CatalogueFileRead, readCatalogueText } from "../../src/catalog/read_file.ts";
import type { Provider } from "../../src/domain/catalogue.ts";
import { formatProblem } from "../../src/documents/problem.ts";

/** The example that the documentation shows. */
export const EXAMPLE_FILE = `\
currency: USD
providers:
  - id: openai
    kind: openai_compatible        # openai_compatible | builtin
    base_url: https://api.openai.com/v1   # an operator's own may be on loopback
    api_key: env:OPENAI_API_KEY    # env:NAME | file:PATH, or a list of them
    official: true
    timeouts: { connect_ms: 5000, first_byte_ms: 60000, idle_ms: 60000, total_ms: 600000 }
  - { id: builtin, kind: builtin }
models:
  - id: gpt-5-mini
    kind: chat                     # chat | embedding | video
    aliases: [small]
    manual_selection: true         # default true
    routes:
      - id: openai/gpt-5-mini
        provider: openai
        upstream_model: gpt-5-mini
        risk_level: low            # low (default) | medium | high
        weight: 1
        enabled: true
        supports: { tools: true, vision: true, json_schema: true, responses: true, context_tokens: 400000, max_output_tokens: 128000 }
        cost: { input: "0.25", cached_input: "0.025", output: "2.00" }
        sale: { markup: "1.10" }   # or the same keys as cost; or free: true
        limits: { requests_per_minute: 500, tokens_per_minute: 200000, concurrent: 50 }
  - id: video-2
    kind: video
    routes:
      - id: builtin/video-2
        provider: builtin
        upstream_model: video-2
        video: { sizes: [640x360, 1280x720], seconds: [1, 2, 4, 8], pass_fields: [] }
        cost: { second: "0.00" }
        sale: { second: { "640x360": "0.01", "1280x720": "0.02" } }
projects:
  - id: default
    unlimited: true                # otherwise credited, starting at 0
    models: ["*"]
    limits: { requests_per_minute: 600, tokens_per_minute: 1000000, concurrent: 100, open_video_tasks: 10 }
`;

/** Settings that the example leaves at their defaults. */
export const FULL_FILE = `\
currency: EUR
providers:
  - id: azure
    kind: openai_compatible
    base_url: https://east.example.com/openai/v1/
    api_key: [env:AZURE_ONE, "file:/run/secrets/azure two"]
    auth: { header: api-key }
    headers: { x-team: gateway }
    query: { api-version: "2026-01-01" }
    timeouts: { total_ms: 1 }
  - id: local
    kind: openai_compatible
    base_url: http://127.0.0.1:11434/v1
models:
  - id: embed
    kind: embedding
    routes:
      - { id: local/embed, provider: local, sale: { input: "0.00000001", request: "1000000" } }
  - id: meta/llama-3:8b
    kind: chat
    manual_selection: false
    aliases: [llama, llama3]
    routes:
      - id: azure/llama
        provider: azure
        upstream_model: "Llama 3 (8b)"
        risk_level: high
        priority: 7
        weight: 2.5
        enabled: false
        maintenance: true
        supports: { stream: false, tools: false }
        cost: { input: "1", cache_write: "1.25", output: "2", reasoning: "3", image: "0.001" }
        sale: { input: "2", output: "4", request: "0" }
        set: { reasoning: { effort: low, tags: [a, b] }, thinking: {} }
        default: { temperature: 0.5, seed: null }
        drop: [logit_bias]
        drop_tools: [web_search*, mcp]
      - { id: local/llama, provider: local, free: true }
projects:
  - id: team
    models: [meta/*, embed]
    limits: { concurrent: 1 }
    budgets: { daily: "5", monthly: "100.50", spend_brake: 10, spend_brake_floor: "0.25" }
    quotas: { kept_bytes: 1GiB, video_bytes: 50000000, file_bytes: 5MB }
`;

type KnownProvider = Pick<Provider, "id" | "kind">;

/** Reads a text that must be right. */
export function readGood(
  text: string,
  knownProviders: readonly KnownProvider[] = [],
): CatalogueFileRead {
  const read = readCatalogueText(text, { file: "t.yaml", knownProviders });
  if (!read.ok) assert.fail(read.problems.map(formatProblem).join("\n"));
  return read;
}

/** The lines of a text's problems. */
export function problemsOf(
  text: string,
  knownProviders: readonly KnownProvider[] = [],
): string[] {
  const read = readCatalogueText(text, { file: "t.yaml", knownProviders });
  assert.ok(!read.ok, "the text was accepted");
  return read.problems.map(formatProblem);
}
