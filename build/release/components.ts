/**
 * What others made of the executable, with its licences: found in the bundles themselves, so that
 * nothing is in the executable that a release does not tell of.
 *
 * @module
 */

import { findAssets } from "../assets.ts";
import type { Lockfile } from "../locked_packages.ts";
import { packageFolders } from "../npm_cache.ts";
import { BUNDLES, ROOT } from "../paths.ts";
import { runCommand } from "../run_command.ts";
import { denoCommand } from "../toolchain.ts";

/** A part of the executable that somebody else made. */
export interface Component {
  readonly name: string;
  /** Absent where its makers number nothing. */
  readonly version?: string;
  readonly kind: "library" | "platform" | "data";
  /** By SPDX's list. */
  readonly licence: string;
  readonly texts: readonly string[];
  /** For a package of npm: as the lockfile has it, `sha512-…`. */
  readonly integrity?: string;
}

/**
 * Everything in the executable that others made, by name.
 *
 * @param runtime the version of Deno inside
 * @throws {Error} for an asset or a package of which nothing is known.
 */
export async function findComponents(runtime: string): Promise<readonly Component[]> {
  const components = [
    ...await packages(),
    ...await runtimeParts(runtime),
    ...await assets(),
  ];
  return components.sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

/** How a bundle names where a module comes from: `npm/@scope/name/1.2.3/dist/index.js`. */
const MODULE_NAME = /^(?:\/\/ |\s*")npm\/((?:@[^/\n]+\/)?[^/\n]+)\/([^/\n]+)\//gm;

async function packages(): Promise<readonly Component[]> {
  const versions = new Map<string, { readonly name: string; readonly version: string }>();
  for await (const { name: file } of Deno.readDir(BUNDLES)) {
    if (!file.endsWith(".js")) continue;
    const text = await Deno.readTextFile(`${BUNDLES}/${file}`);
    for (const [, name, version] of text.matchAll(MODULE_NAME)) {
      versions.set(`${name}/${version}`, { name: name!, version: version! });
    }
  }
  if (versions.size === 0) throw new Error("Cannot find any package in the bundles: build them");
  const lock: Lockfile = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.lock`));
  const caches = await packageFolders();
  const found: Component[] = [];
  for (const [path, { name, version }] of versions) {
    const folder = await folderOf(path, caches);
    const { license } = JSON.parse(await Deno.readTextFile(`${folder}/package.json`));
    const files = await licenceTexts(folder);
    const texts = files.length > 0 ? files : await readmeLicence(folder);
    // A package that goes with another one has the other's name behind its own there.
    const [, locked] = Object.entries(lock.npm)
      .find(([key]) => `${key}_`.startsWith(`${name}@${version}_`)) ?? [];
    const integrity = locked?.integrity;
    if (typeof license !== "string" || texts.length === 0 || integrity === undefined) {
      throw new Error(`Cannot tell the licence of ${name}@${version}: look into ${folder}`);
    }
    found.push({ name, version, kind: "library", licence: license, texts, integrity });
  }
  return found;
}

async function folderOf(path: string, caches: readonly string[]): Promise<string> {
  for (const cache of caches) {
    const folder = `${cache}/${path}`;
    if (await Deno.stat(folder).then(() => true, () => false)) return folder;
  }
  throw new Error(`Cannot find the package ${path} that is bundled: the cache has lost it`);
}

const LICENCE_FILE = /^(?:licen[cs]e|notice|copying|copyright)\b/i;

/** What is said of licences in a folder and those below it, each text once. */
async function licenceTexts(folder: string): Promise<readonly string[]> {
  const texts = new Set<string>();
  const entries = await Array.fromAsync(Deno.readDir(folder));
  for (const { name, isDirectory } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
    if (isDirectory && name !== "node_modules") {
      for (const text of await licenceTexts(`${folder}/${name}`)) texts.add(text);
    } else if (!isDirectory && LICENCE_FILE.test(name)) {
      texts.add((await Deno.readTextFile(`${folder}/${name}`)).replaceAll("\r\n", "\n").trim());
    }
  }
  return [...texts];
}

/** Some packages have their licence at the end of what they say of themselves. */
async function readmeLicence(folder: string): Promise<readonly string[]> {
  const text = await Deno.readTextFile(`${folder}/README.md`).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  });
  const licence = /^#+ licen[cs]e\n([^]*?)(?=^#|$(?![^]))/im.exec(text.replaceAll("\r\n", "\n"))
    ?.[1];
  return licence === undefined ? [] : [licence.trim()];
}

/** Asked of the same version of Deno; V8's own version is what precedes `-rusty`. */
const ASK_RUNTIME = `import { DatabaseSync } from "node:sqlite";
const sqlite = new DatabaseSync(":memory:").prepare("SELECT sqlite_version() AS v").get().v;
console.log(JSON.stringify({ v8: Deno.version.v8.split("-")[0], sqlite }));`;

async function runtimeParts(runtime: string): Promise<readonly Component[]> {
  const asked = await runCommand([...denoCommand(runtime), "eval", ASK_RUNTIME]);
  if (!asked.success) throw new Error(`Cannot ask Deno ${runtime} what is in it: ${asked.stderr}`);
  const { v8, sqlite } = JSON.parse(asked.stdout);
  const text = async (name: string) => [(await readHere(`licences/${name}.txt`)).trim()];
  return [
    {
      name: "deno",
      version: runtime,
      kind: "platform",
      licence: "MIT",
      texts: [
        ...await text("deno"),
        "Deno is made with libraries in Rust, under the MIT, Apache-2.0, BSD and ISC licences, " +
        `which its file Cargo.lock\nof version ${runtime} lists: https://github.com/denoland/deno`,
      ],
    },
    { name: "v8", version: v8, kind: "platform", licence: "BSD-3-Clause", texts: await text("v8") },
    {
      name: "sqlite",
      version: sqlite,
      kind: "library",
      licence: "blessing",
      texts: await text("sqlite"),
    },
  ];
}

/** Assets that others made, by their names in the bundle; all others are the project's own. */
const FOREIGN_ASSETS: readonly { readonly file: RegExp; readonly component: string }[] = [
  { file: /^uplot\./, component: "uplot" },
  { file: /^noto_sans\.ttf$/, component: "noto-sans" },
  { file: /^noto_sans_(?:cjk|jp)\.otf$/, component: "noto-sans-cjk" },
];

/** Kinds of files that a person of the project wrote, unless the table above says otherwise. */
const OWN_ASSET = /\.(?:css|js|txt|svg|html)$/;

async function assets(): Promise<readonly Component[]> {
  const found = new Map<string, Component>();
  for (const path of await findAssets()) {
    const file = path.slice(path.lastIndexOf("/") + 1);
    const foreign = FOREIGN_ASSETS.find((one) => one.file.test(file));
    if (foreign === undefined && !OWN_ASSET.test(file)) {
      throw new Error(`Cannot tell whose ${path} is: name it in build/release/components.ts`);
    }
    if (foreign !== undefined && !found.has(foreign.component)) {
      found.set(foreign.component, await foreignAsset(foreign.component, path));
    }
  }
  return [...found.values()];
}

async function foreignAsset(name: string, path: string): Promise<Component> {
  const folder = `${ROOT}/${path.slice(0, path.lastIndexOf("/"))}`;
  if (name !== "uplot") {
    const texts = [(await Deno.readTextFile(`${folder}/OFL.txt`)).trim()];
    return { name, kind: "data", licence: "OFL-1.1", texts };
  }
  // Its package puts both at the head of its script.
  const script = await Deno.readTextFile(`${folder}/uplot.js`);
  const text = /^\/\*!\n([^]*?)\n\*\//.exec(script)?.[1];
  const version = /uPlot \(v([\d.]+)\)/.exec(script)?.[1];
  if (text === undefined || version === undefined) {
    throw new Error("Cannot find the licence and the version at the head of uplot.js");
  }
  return { name, version, kind: "library", licence: "MIT", texts: [text.trim()] };
}

function readHere(path: string): Promise<string> {
  return Deno.readTextFile(new URL(`./${path}`, import.meta.url));
}
