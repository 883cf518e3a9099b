/**
 * What an upstream answers that has chat alone, and what it is asked for.
 *
 * @module
 */

import { HELLO } from "./scene.ts";

export const CHAT = { ...HELLO, model: "glm" };
export const USAGE = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 60 },
  completion_tokens_details: { reasoning_tokens: 8 },
};
export const WHOLE = {
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "glm-up",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: USAGE,
};

export function call(index: number, name: string | undefined, text: string, id?: string) {
  const called = { ...(name !== undefined && { name }), arguments: text };
  return { index, ...(id !== undefined && { id, type: "function" }), function: called };
}

export function chunk(delta: object, finish: string | null = null, usage?: object) {
  return {
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "glm-up",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...(usage && { usage }),
  };
}
