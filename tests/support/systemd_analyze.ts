/**
 * systemd's own judge of units, which needs no systemd that runs.
 *
 * @module
 */

/** Options for tests that need it: skipped where it is missing, but never in CI. */
export const needsSystemdAnalyze: { readonly ignore: boolean } = {
  ignore: Deno.env.get("CI") !== "true" && !await isInstalled(),
};

/** What `systemd-analyze` says of a unit; `output` is stdout and stderr. */
export async function analyze(
  unit: string,
  args: readonly string[],
): Promise<{ readonly code: number; readonly output: string }> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-unit-" });
  try {
    const path = `${folder}/tollgate.service`;
    await Deno.writeTextFile(path, unit);
    return await run([...args, path]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The names of all system calls in sets such as `@system-service`. */
export async function systemCallsOf(set: string): Promise<ReadonlySet<string>> {
  const { output } = await run(["--no-pager", "syscall-filter", set]);
  const calls = new Set<string>();
  for (const line of output.split("\n").slice(1)) {
    const name = line.trim();
    if (name.startsWith("@")) { for (const call of await systemCallsOf(name)) calls.add(call); }
    else if (name !== "" && !name.startsWith("#")) calls.add(name);
  }
  return calls;
}

async function run(args: readonly string[]) {
  const { code, stdout, stderr } = await new Deno.Command("systemd-analyze", {
    args: [...args],
    env: { LC_ALL: "C", NO_COLOR: "1", SYSTEMD_COLORS: "0" },
    stdin: "null",
  }).output();
  const text = new TextDecoder();
  return { code, output: text.decode(stdout) + text.decode(stderr) };
}

async function isInstalled(): Promise<boolean> {
  try {
    return (await run(["--version"])).code === 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
