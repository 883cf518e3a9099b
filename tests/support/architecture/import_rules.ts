/**
 * The rules over imports: direction, packages, cycles of files and of folders.
 *
 * @module
 */

import program from "../../../deno.json" with { type: "json" };
import renderer from "../../../render/deno.json" with { type: "json" };
import { folderRefusal, importRefusal, moduleOf, siblingRefusal } from "./layout.ts";
import type { ImportEdge, ModuleGraph } from "./module_graph.ts";

/** Packages and built-ins that only some places may import; the rest may be imported anywhere. */
const RESERVED: readonly { name: RegExp; allowed: RegExp; where: string }[] = [
  { name: /^@hono\/hono(\/|$)/, allowed: /^src\/(http|console)\//, where: "http/ and console/" },
  { name: /^commander$/, allowed: /^src\/cli\//, where: "cli/" },
  { name: /^pg$/, allowed: /^src\/storage\/postgres\//, where: "storage/postgres/" },
  { name: /^node:sqlite$/, allowed: /^src\/storage\/sqlite\//, where: "storage/sqlite/" },
  {
    name: /^node:(http|https|http2|net|tls)$/,
    allowed: /^src\/(providers\/transport(\.ts|\/)|http\/listener(\.ts|\/))/,
    where: "providers/transport and http/listener",
  },
  { name: /^node:process$/, allowed: /^(?!)/, where: "no place: config/ reads the environment" },
  { name: /^(npm|jsr|https?):/, allowed: /^(?!)/, where: "no place: deno.json names and pins" },
];

/** What the renderer shows to the others, as its own deno.json says. */
const RENDERER: readonly string[] = Object.values<string>(renderer.exports)
  .map((path) => path.replace(/^\./, "render"));

/** Modules that must stay pure: they import no package, only our own files and nothing else. */
const PURE = ["domain", "storage/ports", "storage/entries", "errors"];

/** The one folder that chooses among drivers. */
const DRIVER = "src/app/database/";

/** Every import that breaks a rule, as `from → to: why`. */
export function checkImports({ imports }: ModuleGraph): string[] {
  return imports.flatMap((edge) => {
    const refusal = edge.isFile ? fileRefusal(edge) : packageRefusal(edge);
    return refusal === undefined ? [] : [`${edge.from} → ${edge.to}: ${refusal}`];
  });
}

function fileRefusal({ from, to }: ImportEdge): string | undefined {
  if (to === "deno.json") {
    return from === "src/version.ts" ? undefined : "src/version.ts alone reads deno.json";
  }
  const source = moduleOf(from);
  const target = moduleOf(to);
  if (source === undefined) return `${from} has no place in the layout`;
  if (target === undefined) return `${to} has no place in the layout`;
  if (target === "render" && source !== "render" && !RENDERER.includes(to)) {
    return `render is imported by what its deno.json exports: ${RENDERER.join(", ")}`;
  }
  if (/^storage\/(postgres|sqlite)$/.test(target) && source === "app" && !from.startsWith(DRIVER)) {
    return `${DRIVER} alone names a driver`;
  }
  return importRefusal(source, target) ?? siblingRefusal(from, to) ??
    (source === target ? folderRefusal(source, from, to) : undefined);
}

function packageRefusal({ from, to }: ImportEdge): string | undefined {
  const reserved = RESERVED.find(({ name, allowed }) => name.test(to) && !allowed.test(from));
  if (reserved !== undefined) return `is imported in ${reserved.where} only`;
  const module = moduleOf(from);
  if (module !== undefined && PURE.includes(module)) {
    return `${module} is pure and imports no package`;
  }
  return pinRefusal(from, to);
}

/** Types are checked with all that tests import, which the program does not have. */
function pinRefusal(from: string, to: string): string | undefined {
  const [config, { imports }] = from.startsWith("render/")
    ? ["render/deno.json", renderer]
    : ["deno.json", program];
  const isPinned = to.startsWith("node:") ||
    Object.keys(imports).some((name) => name.endsWith("/") ? to.startsWith(name) : to === name);
  return isPinned ? undefined : `${config} pins no such package`;
}

/**
 * Import cycles, type-only imports included, as `a.ts → b.ts → a.ts`: one for each file at which a
 * depth-first walk meets itself again, which is at least one for every knot.
 */
export function checkCycles({ imports }: ModuleGraph): string[] {
  const targets = Map.groupBy(imports.filter(({ isFile }) => isFile), ({ from }) => from);
  const finished = new Set<string>();
  const path: string[] = [];
  const cycles: string[] = [];

  function walk(file: string): void {
    const start = path.indexOf(file);
    if (start >= 0) cycles.push([...path.slice(start), file].join(" → "));
    if (start >= 0 || finished.has(file)) return;
    path.push(file);
    for (const { to } of targets.get(file) ?? []) walk(to);
    path.pop();
    finished.add(file);
  }
  for (const file of targets.keys()) walk(file);
  return cycles;
}

/**
 * Pairs of folders of src/ that import each other, a folder and one inside it included, each with
 * an import either way: `src/a ⇄ src/a/b: src/a/x.ts → src/a/b/y.ts, src/a/b/z.ts → src/a/w.ts`.
 */
export function checkFolders({ imports }: ModuleGraph): string[] {
  const ways = new Map<string, ImportEdge>();
  for (const edge of imports) {
    const [from, to] = [folderOf(edge.from), folderOf(edge.to)];
    if (edge.isFile && from !== to && from.startsWith("src")) ways.set(`${from} ⇄ ${to}`, edge);
  }
  return [...ways].flatMap(([pair, way]) => {
    const [from, to] = [folderOf(way.from), folderOf(way.to)];
    const back = ways.get(`${to} ⇄ ${from}`);
    return back === undefined || from > to
      ? []
      : [`${pair}: ${way.from} → ${way.to}, ${back.from} → ${back.to}`];
  }).sort();
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
