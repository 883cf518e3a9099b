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

Deno.test(
  "providers add on a terminal asks for what is missing, shows no key, and changes for a yes alone",
  needsTerminal,
  async () => {
    const folder = await Deno.makeTempDir({ prefix: "tollgate-ask-" });
    const dataDir = `${folder}/data`;
    const key = "sk-typed-0123456789abcdef";
    const command = `'${BINARY}' providers add azure --models gpt-5.4 --data-dir '${dataDir}'`;
    const typed = (agreed: string) => `https://r.openai.azure.com\n${key}\n${agreed}`;
    const show = () => runTollgate(["providers", "show", "azure", "--data-dir", dataDir, "--json"]);
    try {
      const refused = await onTerminal(command, typed("n"));
      assert.equal(refused.code, 1, refused.output);
      assert.match(refused.output, /Azure OpenAI: the resource, such as https:\/\/NAME/);
      assert.match(refused.output, /Azure OpenAI: its key, .*env:AZURE_OPENAI_API_KEY\]/s);
      assert.match(refused.output, /\+ provider azure\s[^]*Nothing was changed/);
      assert.notEqual((await show()).code, 0);
      const agreed = await onTerminal(command, typed("y"));
      assert.equal(agreed.code, 0, agreed.output);
      const path = `${dataDir}/keys/azure.key`;
      assert.equal(await Deno.readTextFile(path), `${key}\n`);
      assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
      assert.deepEqual(JSON.parse((await show()).stdout).api_keys, [`file:${path}`]);
    } finally {
      await Deno.remove(folder, { recursive: true });
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
