/**
 * The layout of the source as data: which modules there are and what each may import.
 *
 * @module
 */

/** A module imports only modules of later ranks; modules of one rank do not import each other. */
const RANKS: readonly (readonly string[])[] = [
  ["main"],
  ["cli"],
  ["app"],
  ["http", "console"],
  ["admin", "gateway", "videos"],
  ["batches"],
  ["planning"],
  [
    "idempotency",
    "limits",
    "routing",
    "pricing",
    "accounts",
    "metering",
    // Files that callers keep here.
    "uploads",
    // What calls said, of projects that have it kept.
    "prompts",
    // It asks the kinds of provider what an operator may write of them.
    "catalog",
  ],
  ["providers"],
  ["dialects"],
  ["storage/ports"],
  // Reads a file that an operator wrote and words its faults: for catalog and config alike.
  // Files on the disk: names that last. Objects in buckets.
  ["documents", "files", "objects", "vendors"],
  ["errors"],
  ["domain"],
  ["version"],
];

/** Modules beside the ranks: who may import them, and what they may import themselves. */
const BESIDE: Readonly<Record<string, { importedBy: string[]; imports: string[] }>> = {
  "config": {
    importedBy: ["main", "cli", "app"],
    imports: ["documents", "errors", "domain", "version"],
  },
  // The commit queue, in front of whichever driver.
  "storage": {
    importedBy: ["app"],
    imports: ["storage/entries", "storage/ports", "errors", "domain"],
  },
  // Which process has the data dir, and whose it is.
  "storage/ownership": { importedBy: ["app"], imports: ["storage/ports", "errors"] },
  // What entries mean, whatever writes them.
  "storage/entries": {
    importedBy: ["app", "storage", "storage/postgres", "storage/sqlite"],
    imports: ["storage/ports", "errors", "domain"],
  },
  // What is stored, column by column, whatever engine has it.
  "storage/rows": {
    importedBy: ["storage/postgres", "storage/sqlite"],
    imports: ["storage/ports", "errors", "domain"],
  },
  // `src/app/database/` alone names it: see the rules.
  "storage/sqlite": {
    importedBy: ["app"],
    imports: [
      "storage/entries",
      "storage/rows",
      "storage/ports",
      "files",
      "errors",
      "domain",
    ],
  },
  // Likewise.
  "storage/postgres": {
    importedBy: ["app"],
    imports: ["storage/entries", "storage/rows", "storage/ports", "errors", "domain"],
  },
  // A workspace member: what others may import of it, its deno.json says.
  "render": { importedBy: ["app", "videos", "catalog", "providers"], imports: [] },
  "telemetry": {
    importedBy: ["app"],
    imports: ["metering", "storage/ports", "errors", "domain", "version"],
  },
};

/** Folders inside a module, ranked as modules are; a file beside them is of the first rank. */
const FOLDERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "app": [
    ["alerts", "threads"],
    ["changes"],
    ["doctor"],
    ["move"],
    ["archives", "backups"],
    ["jobs"],
    ["database", "films", "sessions"],
  ],
  "videos": [["work"], ["make"], ["keep", "tell"], ["task"], ["files"]],
};

/**
 * Why a file of a module may not import one of the same module; `undefined` if it may, or the module
 * has no rule for its folders.
 */
export function folderRefusal(module: string, from: string, to: string): string | undefined {
  const folders = FOLDERS[module];
  const [source, target] = [from, to].map((path) => path.split("/")[2]!);
  if (folders === undefined || source === target || source!.endsWith(".ts")) return undefined;
  const rankIn = (folder: string) => folders.findIndex((rank) => rank.includes(folder));
  if (rankIn(source!) < 0) return `${module}/${source} has no place in the layout`;
  return rankIn(source!) < rankIn(target!)
    ? undefined
    : `${module}/${source} does not import ${module}/${target}`;
}

/**
 * The module a file belongs to: `src/http/endpoints/x.ts` → `http`, `src/errors.ts` → `errors`;
 * `undefined` for a file that has no place in the layout.
 */
export function moduleOf(path: string): string | undefined {
  if (path === "main.ts") return "main";
  if (path.startsWith("render/")) return "render";
  const [, folder] = /^src\/(storage\/[^/]+|[^/]+)\/.+$/.exec(path) ?? [];
  const [, file] = /^src\/(errors|version)\.ts$/.exec(path) ?? [];
  const module = folder ?? file;
  return module !== undefined && (rankOf(module) >= 0 || module in BESIDE) ? module : undefined;
}

/**
 * Modules whose folders are one of a kind each, and of them the folders that the others share, each
 * with those that it may import itself.
 */
const SHARED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // The form between all, what a dialect is, and what a vendor's dialects share.
  "dialects": { "turns": [], "base": ["turns"], "openai": ["base", "turns"] },
  "providers": {
    "transport": [],
    "contract": ["transport"],
    "embeddings": ["contract"],
    "upstream": ["contract", "transport"],
    // Kinds whose exchanges others offer at addresses of their own.
    "openai_compatible": ["contract", "transport", "upstream", "embeddings"],
    "gemini": ["contract", "transport", "upstream", "embeddings"],
    "anthropic": ["contract", "transport", "upstream"],
  },
};

/**
 * Why a file of one folder of such a module may not import one of another: a dialect knows the form
 * between them, and no other dialect; a kind of provider what all share, and no other kind. Files at
 * the top may be imported, and may import any folder.
 */
export function siblingRefusal(from: string, to: string): string | undefined {
  const [, module, source] = /^src\/([^/]+)\/([^/]+)\//.exec(from) ?? [];
  const [, other, target] = /^src\/([^/]+)\/([^/]+)\//.exec(to) ?? [];
  if (module === undefined || module !== other || source === target) return undefined;
  const shared = SHARED[module];
  if (shared === undefined) return undefined;
  return (shared[source!] ?? Object.keys(shared)).includes(target!)
    ? undefined
    : `${module}/${source} knows nothing of ${module}/${target}`;
}

/** Why a file of module `from` may not import one of module `to`; `undefined` if it may. */
export function importRefusal(from: string, to: string): string | undefined {
  if (from === to) return undefined;
  const target = BESIDE[to];
  if (target !== undefined) {
    return target.importedBy.includes(from)
      ? undefined
      : `${to} is imported by ${target.importedBy.join(", ")} alone`;
  }
  const source = BESIDE[from];
  if (source !== undefined) {
    return source.imports.includes(to)
      ? undefined
      : `${from} imports nothing but ${source.imports.join(", ") || "itself"}`;
  }
  if (rankOf(from) < rankOf(to)) return undefined;
  return rankOf(from) === rankOf(to)
    ? `${from} and ${to} have the same rank and do not import each other`
    : `${from} is below ${to} and does not import it`;
}

function rankOf(module: string): number {
  return RANKS.findIndex((rank) => rank.includes(module));
}
