/**
 * Files that a test writes and then runs.
 *
 * Another process writes them: what this one has open for writing, any program that is started at that
 * moment by another test has open too until it runs, and Linux refuses to run a file that somebody
 * may write to (ETXTBSY, execve(2)).
 *
 * @module
 */

import { runTool } from "./outside_tool.ts";

/** Writes `content` to `path`, for everybody to run. */
export async function writeExecutable(path: string, content: string | Uint8Array): Promise<void> {
  const writer = new Deno.Command("sh", {
    args: ["-c", 'cat > "$0" && chmod 755 "$0"', path],
    stdin: "piped",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const [{ success }] = await Promise.all([
    writer.status,
    new Blob([content as BlobPart]).stream().pipeTo(writer.stdin),
  ]);
  if (!success) throw new Error(`${path} cannot be written`);
}

/** Copies the executable at `from` to `to`. */
export async function copyExecutable(from: string, to: string): Promise<void> {
  const { code, stderr } = await runTool("cp", [from, to]);
  if (code !== 0) throw new Error(`${from} cannot be copied: ${stderr}`);
}
