/**
 * Programs of the machine that judge what we make: shells, signers, proxies.
 *
 * @module
 */

/** Options for tests that need a program: skipped where it is missing, but never in CI. */
export function needsTool(...programs: readonly string[]): { readonly ignore: boolean } {
  return { ignore: Deno.env.get("CI") !== "true" && !programs.every(isInstalled) };
}

/** How a program ended and what it printed. */
export interface ToolRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one with an environment of its own, but for the path. */
export async function runTool(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } =
    {},
): Promise<ToolRun> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    clearEnv: true,
    env: { PATH: Deno.env.get("PATH") ?? "", ...env },
    ...(cwd !== undefined && { cwd }),
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

function isInstalled(program: string): boolean {
  return (Deno.env.get("PATH") ?? "").split(":").some((folder) => {
    try {
      return Deno.statSync(`${folder}/${program}`).isFile;
    } catch {
      return false;
    }
  });
}
