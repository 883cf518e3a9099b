/**
 * The documents' snippets are run as they stand, document by document and in their order, against the
 * program: only addresses, keys and ids are put in. What is not run is listed, with why.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parse } from "yaml";
import { foldersOf, versionIn } from "../support/python_client.ts";
import {
  assertWentWell,
  commandsIn,
  openSnippetWorld,
  type SnippetWorld,
} from "../support/snippet_world.ts";
import { readSnippets, type Snippet } from "../support/snippets.ts";

/** Commands that no test of documents runs. */
const NOT_RUN: readonly (readonly [command: RegExp, why: string])[] = [
  [/^(sudo|systemctl|apt) |\/var\/lib\/tollgate/, "writes into the system of the machine"],
  [/^npx -y deno/, "is of the sources: the gate runs their tasks"],
  [/^(npm|pip) install/, "fetches a package"],
  [/^dist\/tollgate$|^tollgate serve/, "serves until it is ended: serve_test.ts starts servers"],
  [/^curl http:\/\/127\.0\.0\.1:9464/, "asks such a server: metrics_test.ts"],
  [/^tollgate console$/, "prints a link that signs in: console_test.ts follows it"],
  [/^(minisign|sha256sum|tar) |VERSION/, "wants a release: release/ makes and updates one"],
  [/^ssh /, "wants another machine"],
  [/^tollgate backup restore/, "wants a server that is stopped: backup_test.ts"],
  [/^tollgate backup stored/, "wants a bucket: bucket_backups_test.ts"],
  [/^tollgate calls archive verify/, "wants calls of last summer: calls_archive_test.ts"],
  [/^tollgate alerts test/, "asks a server that tells of alerts: alerts_test.ts"],
  [/http\.createServer/, "listens until it is ended: webhooks_test.ts has its receiver"],
];
/** What a page takes for granted, by its document. */
const PREMISES: Readonly<Record<string, string>> = {
  "docs/clients/codex.md": "tollgate providers add ollama --models qwen3:8b",
};
/** Documents whose answers are printed, and say who answered. */
const SHOWN = /^(docs\/clients\/|README\.md|docs\/guides\/)/;
const used = new Set<RegExp>();

/** Pages of vendors and of engines, of which each is one snippet, share a world. */
const byDocument = Map.groupBy(
  readSnippets(),
  ({ where }) => where.replace(/^(docs\/(?:vendors|engines))\/.*|:\d+$/, "$1"),
);
for (const [document, snippets] of byDocument) {
  if (!snippets.some(isForUs)) continue;
  Deno.test(`the snippets of ${document} work as they stand`, async (test) => {
    await using world = await openSnippetWorld();
    const premise = PREMISES[document];
    if (premise !== undefined) assertWentWell(await world.shell(premise), world);
    // A call may stand before the catalogue that it wants.
    const ours = snippets.filter(isForUs);
    const [files, others] = [ours.filter(isYaml), ours.filter((one) => !isYaml(one))];
    for (const snippet of [...files, ...others]) {
      for (const [at, piece] of piecesOf(snippet).entries()) {
        const why = snippet.notRun ?? whyNot(piece.text);
        const name = `${snippet.where}${at > 0 ? `, ${at + 1}` : ""}`;
        await test.step({
          name: `${name}${why === undefined ? "" : `, not run: ${why}`}`,
          ignore: why !== undefined || !await canRun(piece),
          fn: () => run(world, piece),
        });
      }
    }
  });
}

Deno.test("every reason not to run something is there for something", () => {
  for (const snippet of [...byDocument.values()].flat().filter(isForUs)) {
    for (const { text } of piecesOf(snippet)) whyNot(text);
  }
  const idle = NOT_RUN.filter(([command]) => !used.has(command));
  assert.deepEqual(idle.map(([command]) => command.source), []);
});

function isYaml({ language }: Snippet): boolean {
  return language === "yaml";
}

function isForUs({ language, text }: Snippet): boolean {
  if (language !== "yaml") return ["sh", "js", "python"].includes(language);
  const read = parse(text);
  const isOfAClient = read.schema !== undefined || read.endpoints !== undefined;
  return !isOfAClient && (read.providers ?? read.models) !== undefined;
}

/** A shell's commands each by itself, so that one that is not run keeps no other from it. */
function piecesOf(snippet: Snippet): readonly Snippet[] {
  if (snippet.language !== "sh") return [snippet];
  const commands = commandsIn(snippet);
  const isOne = commands.every((text) => whyNot(text) === undefined);
  return isOne ? [snippet] : commands.map((text) => ({ ...snippet, text }));
}

function whyNot(text: string): string | undefined {
  const found = NOT_RUN.find(([command]) => command.test(text));
  if (found !== undefined) used.add(found[0]);
  return found?.[1];
}

/** Python's clients may be absent where nobody asks for them by `CI`. */
async function canRun({ language, text }: Snippet): Promise<boolean> {
  if (language !== "python" || Deno.env.get("CI") === "true") return true;
  const name = text.includes("import anthropic") ? "anthropic" : "openai";
  const variable = `TOLLGATE_TEST${name === "anthropic" ? "_ANTHROPIC" : ""}_PYTHONPATH`;
  return await versionIn(foldersOf(variable)[0], name) !== undefined;
}

async function run(world: SnippetWorld, { where, language, text }: Snippet): Promise<void> {
  if (language === "yaml") return await world.apply(text);
  const done = language === "sh"
    ? await world.shell(text)
    : language === "js"
    ? await world.script(text)
    : await world.python(text);
  assertWentWell(done, world);
  if (SHOWN.test(where) && (language !== "sh" || text.startsWith("curl "))) {
    assert.match(done.stdout, /You said|echo-1|Hello/, "the answer is printed");
  }
}
