/**
 * The programs that the pages of the clients show, and their requests by curl, are run as they stand
 * against the program: only its address and the key are put in.
 *
 * @module
 */

import assert from "node:assert/strict";
import { serveGateway } from "../support/served_gateway.ts";
import { foldersOf, python, versionIn } from "../support/python_client.ts";
import { readSnippets, type Snippet } from "../support/snippets.ts";

const OF_CLIENTS = readSnippets().filter(({ where }) =>
  where.startsWith("docs/clients/") || where.startsWith("README.md") ||
  where.startsWith("docs/guides/")
);
/** What snippets name, by what tests have of it. */
const PACKAGES = { "openai": "openai7", "@anthropic-ai/sdk": "anthropic1" } as const;
const FOLDERS = {
  openai: foldersOf("TOLLGATE_TEST_PYTHONPATH")[0],
  anthropic: foldersOf("TOLLGATE_TEST_ANTHROPIC_PYTHONPATH")[0],
} as const;

Deno.test("the clients' snippets work as they stand", async (test) => {
  await using gateway = await serveGateway();
  const fill = (text: string) =>
    text.replaceAll("http://127.0.0.1:8080", gateway.url).replaceAll("sk-tg-…", gateway.server.key);
  for (const snippet of OF_CLIENTS) {
    const run = runnerOf(snippet);
    if (run === undefined) continue;
    await test.step({
      name: snippet.where + (snippet.notRun === undefined ? "" : `, not run: ${snippet.notRun}`),
      ignore: snippet.notRun !== undefined || !await canRun(snippet),
      async fn() {
        const { success, stdout, stderr } = await run(fill(snippet.text));
        assert.ok(success, stderr);
        assert.match(stdout, /You said|echo-1|Hello/, "the answer is printed");
        assert.doesNotMatch(stdout, /sk-tg-/, "and the key is not");
      },
    });
  }
});

type Run = (text: string) => Promise<{ success: boolean; stdout: string; stderr: string }>;

function runnerOf({ language, text }: Snippet): Run | undefined {
  if (language === "js") return runScript;
  if (language === "python") return (program) => python(["-c", program], folderOf(program));
  return language === "sh" && text.startsWith("curl ") ? runShell : undefined;
}

function folderOf(program: string): string | undefined {
  return program.includes("import anthropic") ? FOLDERS.anthropic : FOLDERS.openai;
}

/** Python's clients may be absent where nobody asks for them by `CI`. */
async function canRun({ language, text }: Snippet): Promise<boolean> {
  if (language !== "python" || Deno.env.get("CI") === "true") return true;
  const name = text.includes("import anthropic") ? "anthropic" : "openai";
  return await versionIn(folderOf(text), name) !== undefined;
}

async function runScript(text: string) {
  const file = await Deno.makeTempFile({ suffix: ".mjs" });
  try {
    const program = text.replaceAll(
      /from "([^"]+)"/g,
      (_, name) => `from "${PACKAGES[name as keyof typeof PACKAGES] ?? name}"`,
    );
    // Node's own names are global there, and Deno has them as a module.
    await Deno.writeTextFile(file, `import process from "node:process";\n${program}`);
    return await output(Deno.execPath(), [
      "run",
      "--quiet",
      "--config=tests/deno.json",
      "-A",
      file,
    ]);
  } finally {
    await Deno.remove(file);
  }
}

function runShell(text: string) {
  return output("bash", ["-ec", text]);
}

async function output(program: string, args: readonly string[]) {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { success, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
