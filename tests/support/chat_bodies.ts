/**
 * Chat answers, chunks and catalogues that tests of the gateway share.
 *
 * @module
 */

/** A small complete answer with usage. */
export function answerBody(content: string, usage: Record<string, unknown> = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
}): Record<string, unknown> {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "upstream-name",
    choices: [{
      index: 0,
      message: { role: "assistant", content, refusal: null },
      logprobs: null,
      finish_reason: "stop",
    }],
    usage,
  };
}

/** A chunk with one delta. */
export function chunk(
  delta: Record<string, unknown>,
  finish: string | null = null,
): Record<string, unknown> {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "upstream-name",
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
}

/** The chunk that ends the choice. */
export function finishChunk(reason = "stop"): Record<string, unknown> {
  return chunk({}, reason);
}

/** The chunk with the counts. */
export function usageChunk(prompt: number, completion: number): Record<string, unknown> {
  return {
    ...chunk({}),
    choices: [],
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
    },
  };
}

/**
 * A model `m` with route `a/m` (cheap, at the first URL) and `b/m` (dearer, at
 * the second); an unlimited project `default` and a project `paying`.
 */
export function twoRoutes(firstUrl: string, secondUrl: string): string {
  return `
currency: USD
providers:
  - { id: a, kind: openai_compatible, base_url: "${firstUrl}", auth: none }
  - { id: b, kind: openai_compatible, base_url: "${secondUrl}", auth: none }
models:
  - id: m
    kind: chat
    aliases: [small]
    routes:
      - { id: a/m, provider: a, upstream_model: upstream-a, cost: { input: "1", output: "2" }, sale: { input: "2", output: "4" } }
      - { id: b/m, provider: b, upstream_model: upstream-b, cost: { input: "10", output: "20" }, sale: { markup: "1.5" } }
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;
}
