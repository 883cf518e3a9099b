/**
 * Which parts of the program are in one script, because they are needed together.
 *
 * @module
 */

/** Bundles by file name. */
export type Bundles = ReadonlyMap<string, string>;

/** Scripts that the engine compiles before they are needed, each of parts by name. */
export type Groups = Readonly<Record<string, readonly string[]>>;

const IMPORTED = /^(?:import|\})[^;]*?"\.\/([\w.-]+\.js)";$/gm;

/**
 * The groups, by name: `main` has what every command loads, and what the quickest one does; `serve`
 * what a start that serves loads besides, until it opens its database; `core` what it loads while that
 * is being opened, and then; the Worker that every such start makes is by itself.
 *
 * @throws {Error} when what a group begins with is not a bundle of its own any more.
 */
export function groupParts(bundles: Bundles): Groups {
  const grouped = new Set<string>();
  const group = (...entries: readonly string[]) => {
    const loaded = new Set(entries.flatMap((entry) => [...loadedBy(entry, bundles)]));
    const own = [...loaded].filter((name) => !grouped.has(name));
    for (const name of own) grouped.add(name);
    return own;
  };
  const main = group("main.js", partOf("version", bundles));
  const serve = group(partOf("serve", bundles));
  const core = group(partOf("assemble_core", bundles), partOf("start_server", bundles));
  const worker = "storage_sqlite_worker.js";
  if (!bundles.has(worker)) throw new Error(`There is no bundle ${worker} any more`);
  return { main, serve, core, [worker]: [worker] };
}

/** A bundle, and what it imports by statements. */
function loadedBy(entry: string, bundles: Bundles): ReadonlySet<string> {
  const loaded = new Set([entry]);
  for (const name of loaded) {
    for (const [, imported] of bundles.get(name)!.matchAll(IMPORTED)) loaded.add(imported!);
  }
  return loaded;
}

/** The bundler numbers what is loaded on demand. */
function partOf(name: string, bundles: Bundles): string {
  const parts = [...bundles.keys()].filter((one) => one.replace(/-\d+\.js$/, "") === name);
  if (parts.length !== 1) throw new Error(`There is no bundle of ${name} any more`);
  return parts[0]!;
}
