/**
 * A render Worker that does what a film's prompt says: `poison:throw`, `reject`, `exit`, `memory` or
 * `spin`, each of which no error of the renderer's own can stand for.
 *
 * @module
 */

import type { SourcePatch } from "./source_patch.ts";

/** What a film may do to its Worker. */
export type Poison = "throw" | "reject" | "exit" | "memory" | "spin";

/** The prompt of a film that does it, after its first frame. */
export function poisonedPrompt(poison: Poison): string {
  return `a kite, poison:${poison}`;
}

/** The environment with which a silent Worker is given up on sooner than after 20 s. */
export function silenceEnvironment(silenceMs: number): Readonly<Record<string, string>> {
  return { RENDER_SILENCE_MS: String(silenceMs) };
}

const FUNCTION = `
async function poison(prompt: string): Promise<void> {
  const [, kind] = /poison:(\\w+)/.exec(prompt) ?? [];
  if (kind === undefined) return;
  reply(0.1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  if (kind === "throw") setTimeout(() => { throw new Error("poisoned"); }, 0);
  if (kind === "reject") void Promise.reject(new Error("poisoned"));
  if (kind === "exit") Deno.exit(3);
  const kept: number[][] = [];
  if (kind === "memory") for (;;) kept.push(Array.from({ length: 100_000 }, Math.random));
  if (kind === "spin") for (let turn = 0;; turn++) kept[turn % 7] = [turn];
  await new Promise(() => {});
}
`;

export const poisonedRenderer: SourcePatch = {
  name: "poisoned_renderer",
  says: "films may do anything to their Worker",
  edits: [
    {
      file: "render/worker.ts",
      find: "async function render(job: number, order: FilmOrder): Promise<void> {",
      replace: `async function render(job: number, order: FilmOrder): Promise<void> {
  await poison(order.prompt);
`,
    },
    { file: "render/worker.ts", add: FUNCTION },
    {
      file: "render/render_pool.ts",
      find: "options.silenceMs ?? 20_000",
      replace: `options.silenceMs ?? Number(Deno.env.get("RENDER_SILENCE_MS") ?? 20_000)`,
    },
  ],
};
