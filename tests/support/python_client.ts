/**
 * Clients for Python, each version in a folder of its own, and programs that use them.
 *
 * @module
 */

/** The folders that a variable names, separated by colons; none where Python finds the client by itself. */
export function foldersOf(variable: string): readonly (string | undefined)[] {
  const named = Deno.env.get(variable)?.split(":").filter((one) => one !== "") ?? [];
  return named.length === 0 ? [undefined] : named;
}

/** The version of a client that Python finds; none when there is no Python or no client. */
export async function versionIn(
  folder: string | undefined,
  name: string,
): Promise<string | undefined> {
  try {
    const command = `import ${name}; print(${name}.__version__)`;
    const { success, stdout } = await python(["-c", command], folder);
    return success ? stdout.trim() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Runs a program to its end. */
export async function python(
  args: readonly string[],
  folder: string | undefined,
): Promise<{ readonly success: boolean; readonly stdout: string; readonly stderr: string }> {
  const { success, stdout, stderr } = await new Deno.Command("python3", {
    args: ["-B", ...args],
    env: folder === undefined ? {} : { PYTHONPATH: folder },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { success, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
