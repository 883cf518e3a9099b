/**
 * The documents as a site, in dist/site: made by VitePress, which is a package of the site alone.
 *
 * @module
 */

import { dirname, relative, resolve } from "node:path";
import { ifThere } from "../../src/files/if_there.ts";
import { ROOT } from "../paths.ts";
import { runCommand } from "../run_command.ts";

/** What VitePress is, which is pinned, and how the site looks. */
const SOURCE = `${ROOT}/docs/site`;
/** Documents of the root that are pages, too. */
const BESIDE_DOCS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE"];

/**
 * Builds it and gives its folder. Packages come from the registry once, and after that only when
 * their lockfile changes: then nothing leaves the machine.
 *
 * @throws {Error} With what went wrong, such as a dead link.
 */
export async function buildSite(
  { log }: { readonly log: (line: string) => void },
): Promise<string> {
  const work = `${ROOT}/dist/site-work`;
  await Deno.mkdir(work, { recursive: true });
  await installPackages(work, log);
  await copyPages(work);
  await copyFolder(`${SOURCE}/.vitepress`, `${work}/.vitepress`);
  log("Building the site");
  const built = await runCommand(["npx", "--no-install", "vitepress", "build", "."], { cwd: work });
  if (!built.success) throw new Error(`Cannot build the site:\n${built.stdout}${built.stderr}`);
  const out = `${ROOT}/dist/site`;
  await ifThere(Deno.remove(out, { recursive: true }));
  await Deno.rename(`${work}/site`, out);
  return out;
}

async function installPackages(work: string, log: (line: string) => void): Promise<void> {
  const wanted = await Deno.readTextFile(`${SOURCE}/package-lock.json`);
  const mark = `${work}/node_modules/.installed-lock.json`;
  if (await ifThere(Deno.readTextFile(mark)) === wanted) return;
  log("Fetching the site's packages");
  for (const name of ["package.json", "package-lock.json"]) {
    await Deno.copyFile(`${SOURCE}/${name}`, `${work}/${name}`);
  }
  // Not `npm ci`: it wants the lockfile to have the packages of every platform, which a registry that
  // has only some of them cannot give. Versions are those of the lockfile all the same.
  const install = ["npm", "install", "--no-save", "--no-audit", "--no-fund"] as const;
  const done = await runCommand(install, { cwd: work });
  if (!done.success) throw new Error(`Cannot install the site's packages:\n${done.stderr}`);
  await Deno.writeTextFile(mark, wanted);
}

/** The documents as they lie in the tree, so that links between them are right as they are. */
async function copyPages(work: string): Promise<void> {
  const pages = `${work}/pages`;
  await ifThere(Deno.remove(pages, { recursive: true }));
  await copyFolder(`${ROOT}/docs`, `${pages}/docs`, (path) => path !== `${ROOT}/docs/site`);
  for (const name of BESIDE_DOCS) await Deno.copyFile(`${ROOT}/${name}`, `${pages}/${name}`);
  for await (const path of filesOf(pages)) {
    if (!path.endsWith(".md")) continue;
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, withoutLinksOutside(text, { at: dirname(path), pages }));
  }
}

/** Links into the source, of which the site has nothing, become text. */
function withoutLinksOutside(
  text: string,
  { at, pages }: { readonly at: string; readonly pages: string },
): string {
  return text.replaceAll(
    /(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)/g,
    (link, words, path) => {
      const target = resolve(at, path);
      const isPage = !relative(pages, target).startsWith("..") && path.endsWith(".md");
      return isPage ? link : words;
    },
  );
}

async function copyFolder(
  from: string,
  to: string,
  isWanted: (path: string) => boolean = () => true,
): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (!isWanted(`${from}/${name}`)) continue;
    if (isDirectory) await copyFolder(`${from}/${name}`, `${to}/${name}`, isWanted);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

/** Every file below a folder. */
export async function* filesOf(folder: string): AsyncIterable<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesOf(`${folder}/${name}`);
    else yield `${folder}/${name}`;
  }
}
