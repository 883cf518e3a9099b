/**
 * Attempts that go on although their lease has run out: a film whose prompt says so waits at a point
 * of its completion, silent, until a file tells it to go on. Leases are short, so that it takes
 * seconds and not minutes.
 *
 * @module
 */

import { until } from "../../support/until.ts";
import type { SourcePatch } from "./source_patch.ts";

/** Where an attempt waits: before its film gets its name, or before its task is completed. */
export type ZombiePoint = "before_keep" | "before_store";

/** The prompt of a film whose every attempt waits at that point. */
export function zombiePrompt(point: ZombiePoint): string {
  return `a kite, zombie:${point}`;
}

/** The environment to start the program with. */
export function zombieEnvironment(folder: string): Readonly<Record<string, string>> {
  return { ZOMBIE_FOLDER: folder };
}

/** Waits until an attempt, from 1, has come to its point. */
export async function untilWaiting(folder: string, attempt: number): Promise<void> {
  await until(`attempt ${attempt} to wait`, () => isThere(`${folder}/waiting-${attempt}`));
}

/** Lets an attempt go on. */
export async function letGo(folder: string, attempt: number): Promise<void> {
  await Deno.writeTextFile(`${folder}/go-${attempt}`, "");
}

/** Waits until an attempt is over, whatever became of it. */
export async function untilOver(folder: string, attempt: number): Promise<void> {
  await until(`attempt ${attempt} to end`, () => isThere(`${folder}/over-${attempt}`));
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

const FUNCTION = `
async function waitAsZombie(point: string, task: { prompt: string; attempt: number }) {
  const [, at] = /zombie:(\\w+)/.exec(task.prompt) ?? [];
  if (at !== point) return;
  const folder = Deno.env.get("ZOMBIE_FOLDER")!;
  Deno.writeTextFileSync(\`\${folder}/waiting-\${task.attempt}\`, "");
  for (;;) {
    try {
      Deno.statSync(\`\${folder}/go-\${task.attempt}\`);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
`;

export const zombieAttempts: SourcePatch = {
  name: "zombie_attempts",
  says: "attempts go on after their lease",
  edits: [
    {
      file: "src/videos/task/attempt.ts",
      find: "export const LEASE_MS = 30_000;",
      replace: "export const LEASE_MS = 2_000;",
    },
    {
      file: "src/videos/work/runner.ts",
      find: "const SWEEP_MS = 10_000;",
      replace: "const SWEEP_MS = 300;",
    },
    {
      file: "src/videos/make/local.ts",
      find: "const SILENCE_MS = 120_000;",
      replace: "const SILENCE_MS = 2_000;",
    },
    {
      file: "src/videos/work/finish_task.ts",
      find: "const file = await keepFilm(films, attempt, film);",
      replace: `    await waitAsZombie("before_keep", attempt.task);
    const file = await keepFilm(films, attempt, film);
    await waitAsZombie("before_store", attempt.task);
`,
    },
    {
      file: "src/videos/work/conclude_attempt.ts",
      find: "finally { end.part.close(); }",
      replace: `finally {
    end.part.close();
    if (attempt.task.prompt.includes("zombie:")) {
      Deno.writeTextFileSync(
        \`\${Deno.env.get("ZOMBIE_FOLDER")}/over-\${attempt.task.attempt}\`,
        "",
      );
    }
  }
`,
    },
    { file: "src/videos/work/finish_task.ts", add: FUNCTION },
  ],
};
