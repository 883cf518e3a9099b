/**
 * What the documents say of the tree: each path that they name is there, and the README's layout
 * leaves no module out.
 *
 * @module
 */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

const DOCUMENTS = [
  "README.md",
  "CHANGELOG.md",
  "bench/README.md",
  "docs/administration.md",
  "docs/catalogue.md",
  "docs/clients.md",
  "docs/endpoints.md",
  "docs/install.md",
  "docs/money.md",
  "docs/operating.md",
  "docs/requests.md",
  "docs/vendors.md",
  "docs/video-tasks.md",
  "docs/videos.md",
  "render/README.md",
  "tests/torture/README.md",
];

/** In code spans: a path into the source, or a file of it by its name from where it is told of. */
const PATH = /`((?:src|tests|build|bench|render|docs|\.ci)\/[\w./-]*|[\w/-]+\.ts)`/g;

for (const document of DOCUMENTS) {
  Deno.test(`${document} names only files and folders that are there`, () => {
    const text = readFileSync(document, "utf8");
    const base = document.startsWith("docs/") ? "src/videos" : dirname(document);
    const missing = [...text.matchAll(PATH)].map(([, path]) => path!).filter((path) =>
      !existsSync(path) && !existsSync(`${base}/${path}`) && !existsSync(`src/${path}`)
    );
    assert.deepEqual(missing, []);
  });
}

Deno.test("the README's layout has every module, and nothing else", () => {
  const told = readLayout(readFileSync("README.md", "utf8"));
  const missing = told.filter((path) => !existsSync(path));
  assert.deepEqual(missing, [], "not there");
  const modules = readdirSync("src").map((name) => `src/${name}`);
  const folders = ["src", "render", "build", "bench", "tests", "docs", "main.ts"];
  const untold = [...modules, ...folders].filter((path) => !told.includes(path));
  assert.deepEqual(untold, [], "not told of");
});

/** The paths at which the lines of the layout begin. */
function readLayout(readme: string): readonly string[] {
  const block = /^## Layout\n+```\n([^]*?)^```/m.exec(readme)![1]!;
  const lines = block.split("\n").filter((line) => /^ {0,2}\S/.test(line));
  return lines.flatMap((line) => {
    const names = line.trim().split(/ {2,}/)[0]!.split(", ");
    return names.map((name) => `${line.startsWith(" ") ? "src/" : ""}${name.replace(/\/$/, "")}`);
  });
}

Deno.test("links between the documents lead to files and headings that are there", () => {
  const broken = DOCUMENTS.flatMap((document) =>
    [...readFileSync(document, "utf8").matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
      .filter(([, path, heading]) => {
        const target = path === "" ? document : `${dirname(document)}/${path}`;
        return !existsSync(target) ||
          heading !== undefined && !headingsOf(readFileSync(target, "utf8")).includes(heading);
      }).map(([link]) => `${document}: ${link}`)
  );
  assert.deepEqual(broken, []);
});

/** Headings as links name them. */
function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
  );
}
