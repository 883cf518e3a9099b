/**
 * The real module graph of the project, as Deno itself resolves it.
 *
 * @module
 */

import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Folders of our own TypeScript; a folder may be missing. */
const FOLDERS = ["src", "render", "build", "bench", "tests"];

/** One import statement, type-only ones included. */
export interface ImportEdge {
  /** Path from the project's root. */
  readonly from: string;
  /** Path from the project's root, or the specifier of a package or built-in as it was written. */
  readonly to: string;
  readonly isFile: boolean;
  /** Whether importing one loads the other; `never` for types alone. */
  readonly load: "at_once" | "on_demand" | "never";
}

/** A source file: its path from the project's root and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Everything the architecture's rules look at. */
export interface ModuleGraph {
  readonly files: readonly SourceFile[];
  readonly imports: readonly ImportEdge[];
  /** What Deno says about modules that it cannot find or read. */
  readonly unreadable: readonly string[];
}

interface DenoInfo {
  readonly modules: readonly {
    readonly specifier: string;
    readonly error?: string;
    readonly dependencies?: readonly {
      readonly specifier: string;
      readonly code?: { readonly specifier?: string };
      readonly type?: { readonly specifier?: string };
      readonly isDynamic?: boolean;
    }[];
  }[];
}

/**
 * Reads every TypeScript file of the project and the imports of the program (`main.ts`, `src`,
 * `render`), whether or not something imports them yet (a Worker's entry is imported by nobody).
 */
export async function readModuleGraph(): Promise<ModuleGraph> {
  const files: SourceFile[] = [];
  for (const path of ["main.ts", ...(await Promise.all(FOLDERS.map(listSources))).flat()]) {
    files.push({ path, text: await Deno.readTextFile(`${ROOT}${path}`) });
  }
  const roots = files.map(({ path }) => path).filter(isProgram);
  const info = await denoInfo(roots);
  return {
    files,
    imports: importEdges(info),
    unreadable: info.modules.flatMap(({ error }) => error ?? []),
  };
}

/** Whether a file is part of the program, and not of its tests, build or bench. */
export function isProgram(path: string): boolean {
  return /^(main\.ts$|src\/|render\/(?!tests\/))/.test(path);
}

async function listSources(folder: string): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const entry of Deno.readDir(`${ROOT}${folder}`)) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory) found.push(...await listSources(path));
      else if (/\.tsx?$/.test(entry.name)) found.push(path);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return found.sort();
}

/** `deno info` takes one root, so a throw-away file outside the project imports all of them. */
async function denoInfo(roots: readonly string[]): Promise<DenoInfo> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-graph-" });
  try {
    const root = `${folder}/all.ts`;
    const urls = roots.map((path) => pathToFileURL(`${ROOT}${path}`).href);
    await Deno.writeTextFile(root, urls.map((url) => `import "${url}";\n`).join(""));
    const output = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", `--config=${ROOT}deno.json`, root],
    }).output();
    if (!output.success) throw new Error(new TextDecoder().decode(output.stderr));
    return JSON.parse(new TextDecoder().decode(output.stdout));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function importEdges(info: DenoInfo): ImportEdge[] {
  const edges: ImportEdge[] = [];
  for (const { specifier, dependencies = [] } of info.modules) {
    const from = projectPath(specifier);
    if (from === undefined) continue;
    for (const dependency of dependencies) {
      const target = dependency.code?.specifier ?? dependency.type?.specifier ?? "";
      const file = projectPath(target);
      edges.push({
        from,
        to: file ?? dependency.specifier,
        isFile: file !== undefined,
        load: dependency.code === undefined
          ? "never"
          : dependency.isDynamic
          ? "on_demand"
          : "at_once",
      });
    }
  }
  return edges;
}

function projectPath(specifier: string): string | undefined {
  const root = pathToFileURL(ROOT).href;
  return specifier.startsWith(root) ? specifier.slice(root.length) : undefined;
}
