/**
 * Writes what the executable is compiled from: the bundles as scripts, what loads them, the assets.
 *
 * Of the scripts that a start needs, the executable has beside the text what the engine has compiled
 * of it (`make_caches.ts`), which saves compiling it at each start. Both are attached to it where that
 * can be done (`attached_files.ts`), but for a Worker's, which cannot read from the executable that the
 * main thread has open: another may stand at its path by then. All other scripts are packed, and
 * attached as well if the main thread alone asks for them: a start of the executable takes longer for
 * all that is embedded in it.
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import { type FilesByName, indexAttached } from "../attach_files.ts";
import { bundleEntry } from "../bundle.ts";
import { BUNDLES, PROGRAM_FILES } from "../paths.ts";
import { classicPart, classicScript } from "./classic_part.ts";
import type { AttachedIndex } from "./attached_files.ts";
import { type Bundles, groupParts, type Groups } from "./group_parts.ts";

/** What was written. */
export interface WrittenProgram {
  /** The scripts that can have a cache, as texts by name. */
  readonly scripts: ReadonlyMap<string, string>;
  readonly groups: Groups;
  /** All other files, as paths in the folder. */
  readonly included: readonly string[];
}

/**
 * Writes all but the entries and the scripts that a start needs into `dist/program`.
 *
 * @param included As `bundle` has it: the Workers' bundles and the assets.
 * @throws {Error} when a bundle has what a script cannot do.
 */
export async function writeProgram(included: readonly string[]): Promise<WrittenProgram> {
  await Deno.remove(PROGRAM_FILES, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.mkdir(`${PROGRAM_FILES}/scripts`, { recursive: true });
  await Deno.mkdir(`${PROGRAM_FILES}/assets`);
  const bundles = await readBundles();
  const groups = groupParts(bundles);
  const files: string[] = [];
  const scripts = new Map<string, string>();
  for (const [name, parts] of Object.entries(groups)) scripts.set(name, scriptOf(parts, bundles));
  const grouped = new Set(Object.values(groups).flat());
  for (const name of bundles.keys()) {
    if (grouped.has(name)) continue;
    files.push(`scripts/${name}.gz`);
    const packed = gzipSync(scriptOf([name], bundles), { level: 9 });
    await Deno.writeFile(`${PROGRAM_FILES}/scripts/${name}.gz`, packed);
  }
  for (const path of included.filter((one) => one.startsWith("assets/"))) {
    await Deno.copyFile(`${BUNDLES}/${path}`, `${PROGRAM_FILES}/${path}`);
  }
  return { scripts, groups, included: [...included, ...files.toSorted()] };
}

/** Larger than all other files together, and needed for films alone. */
const FONT = /\.(?:otf|ttf)$/;

/** What an executable is made from. */
export interface Entries {
  /** What `deno compile` includes besides `main.js`, as paths in the folder. */
  readonly included: readonly string[];
  /** What is attached to it afterwards. */
  readonly attached?: { readonly files: FilesByName; readonly index: AttachedIndex };
}

/**
 * Writes the entries, of the program and of its Workers.
 *
 * @param options.starter The module of this folder that they begin with.
 * @param options.caches By the script's name.
 * @param options.attaches Whether all that the main thread reads is to be attached and not included.
 */
export async function writeEntries(
  { groups, scripts, included }: WrittenProgram,
  { starter, caches, attaches = false }: {
    readonly starter: "start" | "start_keeping";
    readonly caches: FilesByName;
    readonly attaches?: boolean;
  },
): Promise<Entries> {
  await bundleEntry(`build/scripts/${starter}.ts`, [`--output=${PROGRAM_FILES}/start.js`]);
  const encoder = new TextEncoder();
  const workers = new Set(included.filter((path) => /^\w+\.js$/.test(path)));
  const apart = attaches
    ? included.filter((path) => FONT.test(path) || isOfMainThread(path, workers))
    : [];
  const files = new Map<string, Uint8Array>();
  const embedded: string[] = [];
  const write = async (path: string, bytes: Uint8Array, script: string) => {
    await Deno.writeFile(`${PROGRAM_FILES}/${path}`, bytes);
    if (attaches && !workers.has(script)) files.set(path, bytes);
    else embedded.push(path);
  };
  for (const [name, text] of scripts) {
    await write(`scripts/${name}.txt`, encoder.encode(text), name);
  }
  for (const [name, cache] of caches) await write(`scripts/${name}.cache`, cache, name);
  for (const path of apart) files.set(path, await Deno.readFile(`${PROGRAM_FILES}/${path}`));
  const attached = attaches ? { files, index: indexAttached(files) } : undefined;
  const index = { scripts: groups, cached: [...caches.keys()], attached: attached?.index };
  await Deno.writeTextFile(
    `${PROGRAM_FILES}/index.js`,
    `export const INDEX = ${JSON.stringify(index)};\n`,
  );
  for (const entry of ["main.js", ...workers]) {
    await Deno.writeTextFile(
      `${PROGRAM_FILES}/${entry}`,
      `import { INDEX } from "./index.js";\nimport { start } from "./start.js";\n` +
        `await start(import.meta.url, "${entry}", INDEX);\n`,
    );
  }
  return {
    included: [...included.filter((path) => !apart.includes(path)), ...embedded],
    ...(attached !== undefined && { attached }),
  };
}

/** Whether it is a packed script that no Worker asks for: a Worker's has the name of its entry. */
function isOfMainThread(path: string, workers: ReadonlySet<string>): boolean {
  const [, script] = /^scripts\/(.+)\.gz$/.exec(path) ?? [];
  return script !== undefined && !workers.has(script);
}

/** The executable embeds the times of its files; a fixed one lets the same files give the same bytes. */
export async function fixTimes(folder = PROGRAM_FILES): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) await fixTimes(`${folder}/${name}`);
    else await Deno.utime(`${folder}/${name}`, 0, 0);
  }
}

async function readBundles(): Promise<Bundles> {
  const bundles = new Map<string, string>();
  const names = (await Array.fromAsync(Deno.readDir(BUNDLES))).map(({ name }) => name);
  for (const name of names.filter((one) => one.endsWith(".js")).toSorted()) {
    bundles.set(name, await Deno.readTextFile(`${BUNDLES}/${name}`));
  }
  return bundles;
}

function scriptOf(parts: readonly string[], bundles: Bundles): string {
  return classicScript(
    parts.map((name) => [name, classicPart(name, bundles.get(name)!, name === "main.js")] as const),
  );
}
