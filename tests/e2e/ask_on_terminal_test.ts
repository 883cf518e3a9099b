/**
 * Commands that ask, on a terminal of their own: whether they do depends on what they are run on.
 *
 * @module
 */

import assert from "node:assert/strict";
import { programKind, runTollgate } from "../support/executable.ts";

const BINARY = Deno.env.get("TOLLGATE_BINARY") ?? "";
/** `script` gives a command a terminal; CI has it. */
const needsTerminal = {
  ignore: programKind !== "executable" ||
    (Deno.env.get("CI") !== "true" && !await hasScript()),
};

Deno.test(
  "keys delete on a terminal shows the key that begins so, and deletes it for a yes alone",
  needsTerminal,
  async () => {
    const dataDir = await Deno.makeTempDir({ prefix: "tollgate-ask-" });
    const run = (...args: string[]) => runTollgate([...args, "--data-dir", dataDir, "--json"]);
    const keys = async () => JSON.parse((await run("keys", "list")).stdout).length;
    try {
      await run("projects", "create", "shop");
      const { id } = JSON.parse(
        (await run("keys", "create", "--project", "shop", "--name", "web")).stdout,
      );
      const begins = id.slice(0, 9);
      const command = `'${BINARY}' keys delete ${begins} --data-dir '${dataDir}'`;
      const question = new RegExp(
        `'${begins}' begins ${id} \\(project shop, name 'web', sk-tg-[\\w-]+…\\)\\s+Is this the key\\? \\[y/N\\]`,
      );
      for (const answer of ["", "n", "yellow", id]) {
        const refused = await onTerminal(command, answer);
        assert.equal(refused.code, 1, refused.output);
        assert.match(refused.output, question);
        assert.match(refused.output, /Nothing was changed/);
        assert.equal(await keys(), 1);
      }
      const agreed = await onTerminal(command, "y");
      assert.equal(agreed.code, 0, agreed.output);
      assert.match(agreed.output, question);
      assert.equal(await keys(), 0);
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  },
);

/** Runs a command on a terminal of its own, where somebody types a line. */
async function onTerminal(
  command: string,
  line: string,
): Promise<{ readonly code: number; readonly output: string }> {
  const process = new Deno.Command("script", {
    args: ["--quiet", "--return", "--command", command, "/dev/null"],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode(`${line}\n`));
  await writer.close();
  const { code, stdout } = await process.output();
  return { code, output: new TextDecoder().decode(stdout) };
}

async function hasScript(): Promise<boolean> {
  try {
    return (await new Deno.Command("script", { args: ["--version"] }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
