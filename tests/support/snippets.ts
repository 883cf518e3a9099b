/**
 * The snippets of the documents: fenced code with a language, and what says that one is not run.
 *
 * @module
 */

import { readdirSync, readFileSync } from "node:fs";

/** A piece of code in a document. */
export interface Snippet {
  /** `docs/start.md:12`, the line of its fence. */
  readonly where: string;
  readonly language: string;
  readonly text: string;
  /** Why it is not run; `undefined` where it is. */
  readonly notRun: string | undefined;
}

/** Those of all documents that people read, in their order. */
export function readSnippets(): readonly Snippet[] {
  const documents = [
    ...["README.md", "CONTRIBUTING.md", "SECURITY.md"],
    ...readdirSync("docs", { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md") && !name.startsWith("reference/"))
      .map((name) => `docs/${name}`).toSorted(),
  ];
  return documents.flatMap((document) => snippetsOf(document, readFileSync(document, "utf8")));
}

/** `<!-- not run: why -->` stands before the fence, as far in as that. */
const FENCE = /^(?: *<!-- not run: (.+) -->\n\n?)?( *)```(\w+)\n([^]*?)^ *```$/gm;

function snippetsOf(document: string, text: string): readonly Snippet[] {
  return [...text.matchAll(FENCE)].map((match) => {
    const [, notRun, indent = "", language, body] = match;
    return {
      where: `${document}:${text.slice(0, match.index).split("\n").length + (notRun ? 2 : 0)}`,
      language: language!,
      text: body!.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      notRun,
    };
  });
}

/** The words of each command of a shell snippet, as far as `tollgate` is asked. */
export function tollgateCommands(text: string): readonly (readonly string[])[] {
  const lines = text.replaceAll(/\\\n\s*/g, " ").split("\n");
  return lines.flatMap((line) =>
    line.split(/\s(?:&&|\|)\s/).flatMap((part) => {
      const words = shellWords(part.replace(/(^|\s)#.*$/, ""));
      const at = words.findIndex((word) => /(^|\/)tollgate$/.test(word));
      // What stands before it may run it (`sudo`, `npx`), and nothing else may.
      if (at < 0 || !words.slice(0, at).every((word) => RUNNERS.test(word))) return [];
      const end = words.findIndex((word, place) => place > at && /^[<>]/.test(word));
      return [words.slice(at + 1, end < 0 ? undefined : end)];
    })
  );
}

const RUNNERS = /^(?:sudo|npx|-u|USER|[A-Z_]+=.*)$/;

function shellWords(line: string): readonly string[] {
  return [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2")
  );
}
