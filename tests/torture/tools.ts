/**
 * Tools that some rows need, and how to find out whether they are here.
 *
 * @module
 */

import { runCommand } from "../../build/run_command.ts";
import { NEEDS_POSTGRES } from "../support/postgres_server.ts";
import { SmallDisk } from "../support/small_disk.ts";

const LIBFAKETIME = [
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];

const LOOKS = {
  strace: () => runs("strace", "-o", "/dev/null", "true"),
  libfaketime: () => Promise.resolve(libfaketimePath() !== undefined),
  "a small disk": async () => {
    await using disk = await SmallDisk.tryMount(1024 ** 2);
    return disk !== undefined;
  },
  postgresql: () => Promise.resolve(!NEEDS_POSTGRES.ignore),
  bash: () => runs("bash", "--version"),
  python3: () => runs("python3", "--version"),
  ffprobe: () => runs("ffprobe", "-version"),
  schemathesis: () => runs("schemathesis", "--version"),
} satisfies Record<string, () => Promise<boolean>>;

/** A tool by the name that is printed when it is missing. */
export type ToolName = keyof typeof LOOKS;

/** Those of `tools` that are not here. */
export async function missingTools(tools: readonly ToolName[]): Promise<readonly ToolName[]> {
  const looks = await Promise.all(
    tools.map(async (tool) => ({ tool, isHere: await LOOKS[tool]() })),
  );
  return looks.filter(({ isHere }) => !isHere).map(({ tool }) => tool);
}

/** The library to preload for a clock that a file moves. */
export function libfaketimePath(): string | undefined {
  return LIBFAKETIME.find((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return false;
      throw error;
    }
  });
}

async function runs(program: string, ...args: string[]): Promise<boolean> {
  return (await runCommand([program, ...args])).success;
}
