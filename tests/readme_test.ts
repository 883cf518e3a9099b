/**
 * What the documents say of the tree: each path that they name is there, the layout of the
 * architecture leaves no module out, the README stays short, and the reference is the program's.
 *
 * @module
 */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { GENERATED_FOLDERS } from "../build/docs/generated_folders.ts";

/** Every document of the tree; none can be forgotten. */
const DOCUMENTS = [
  ...readdirSync(".").filter((name) => name.endsWith(".md")),
  "bench/README.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`).toSorted(),
  "render/README.md",
  "tests/torture/README.md",
];

Deno.test("there are documents to look at", () => {
  for (const one of ["README.md", "SECURITY.md", "docs/videos.md", "docs/clients/codex.md"]) {
    assert.ok(DOCUMENTS.includes(one), one);
  }
});

Deno.test("the README has at most 200 lines", () => {
  assert.ok(readFileSync("README.md", "utf8").split("\n").length <= 201);
});

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

Deno.test("the architecture's layout has every module, and nothing else", () => {
  const told = readLayout(readFileSync("docs/architecture.md", "utf8"));
  const missing = told.filter((path) => !existsSync(path));
  assert.deepEqual(missing, [], "not there");
  const modules = readdirSync("src").map((name) => `src/${name}`);
  const folders = ["src", "render", "build", "bench", "tests", "deploy", "docs", "main.ts"];
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

for (const [folder, makePages] of GENERATED_FOLDERS) {
  const pages = await makePages();
  for (const [name, text] of pages) {
    Deno.test(`${folder}/${name} is as the program is now`, () => {
      // Not `equal` of the texts: a difference of two long pages helps nobody.
      const isSame = existsSync(`${folder}/${name}`) &&
        readFileSync(`${folder}/${name}`, "utf8") === text;
      assert.ok(isSame, `${name} is stale: run deno task docs`);
    });
  }
  Deno.test(`${folder} has the pages that are made, and no others`, () => {
    assert.deepEqual(readdirSync(folder).toSorted(), [...pages.keys()].toSorted());
  });
}
