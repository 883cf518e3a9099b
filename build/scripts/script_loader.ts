/**
 * Runs the program inside the executable: reads the scripts that it was made into, has the engine
 * take what is compiled of them already, and evaluates their parts as they are asked for.
 *
 * It is put into the executable as a file of its own (`write_program.ts`).
 *
 * @module
 */

import { Buffer } from "node:buffer";
import process from "node:process";
import vm from "node:vm";
import { crc32, gunzipSync } from "node:zlib";
import { AttachedFiles, type AttachedIndex } from "./attached_files.ts";
import { CACHE_HEADER_BYTES, cacheHeader } from "./cache_header.ts";

/** What a part exports. */
type Exports = Readonly<Record<string, unknown>>;

/** What a part is given in place of what a module has. */
interface Given {
  readonly meta: {
    readonly url: string;
    readonly startCaches: () => StartCaches;
    /** Absent where nothing is attached. */
    readonly attached?: (name: string) => Uint8Array;
  };
  use(name: string): Exports;
  load(name: string): Promise<Exports>;
}

type Part = (given: Given) => Exports | Promise<Exports>;

/** A script's value. Some runtimes give scripts the timers of Node, which are others. */
type Script = (timers: unknown) => Readonly<Record<string, Part>>;

/** What became of what is compiled of each script, by the script. */
export type StartCaches = Readonly<Record<string, "taken" | "refused">>;

/** The scripts that have more than one part, or a cache; any other part is a script of its own. */
export interface ScriptIndex {
  /** The parts of each, by the script's name. */
  readonly scripts: Readonly<Record<string, readonly string[]>>;
  /** Scripts beside which there is what the engine has compiled of them. */
  readonly cached: readonly string[];
  /** What is attached to the executable, if anything is; all else is embedded. */
  readonly attached?: AttachedIndex | undefined;
}

/** The program's scripts, in the folder `scripts` beside the entry. */
export class ScriptLoader {
  readonly #folder: URL;
  readonly #index: ScriptIndex;
  readonly #attached: AttachedFiles | undefined;
  readonly #scriptOf: ReadonlyMap<string, string>;
  readonly #parts = new Map<string, Part>();
  readonly #evaluated = new Map<string, Exports>();
  readonly #given: Given;
  readonly #taken = new Set<string>();
  /** What has been compiled, by name. */
  readonly compiled: Map<string, vm.Script> = new Map();

  /** @param url Of the entry: what its parts take for their own address. */
  constructor(url: string, index: ScriptIndex) {
    this.#folder = new URL("./scripts/", url);
    this.#index = index;
    this.#attached = index.attached && new AttachedFiles(Deno.execPath(), index.attached);
    const scripts = Object.entries(index.scripts);
    this.#scriptOf = new Map(
      scripts.flatMap(([script, parts]) => parts.map((part): [string, string] => [part, script])),
    );
    this.#given = {
      meta: {
        url,
        startCaches: () => this.#startCaches(),
        ...this.#attached && { attached: (name) => this.#attached!.read(name) },
      },
      use: (name) => this.#use(name),
      load: (name) => new Promise((resolve) => resolve(this.#use(name))),
    };
  }

  /** Evaluates the part that everything begins with. */
  async run(entry: string): Promise<void> {
    await this.#part(entry)(this.#given);
  }

  #use(name: string): Exports {
    if (name.startsWith("node:")) return process.getBuiltinModule(name) as unknown as Exports;
    const known = this.#evaluated.get(name);
    if (known !== undefined) return known;
    const exports = this.#part(name)(this.#given) as Exports;
    this.#evaluated.set(name, exports);
    return exports;
  }

  #part(name: string): Part {
    const known = this.#parts.get(name);
    if (known !== undefined) return known;
    const script: Script = this.#compile(this.#scriptOf.get(name) ?? name).runInThisContext();
    const parts = script({ setTimeout, setInterval, clearTimeout, clearInterval });
    for (const [one, part] of Object.entries(parts)) this.#parts.set(one, part);
    return this.#parts.get(name)!;
  }

  #compile(name: string): vm.Script {
    const cachedData = this.#cacheOf(name);
    // By its address, as traces of errors name modules.
    const { href: filename } = new URL(name.endsWith(".js") ? name : `${name}.js`, this.#folder);
    const options = { filename, ...cachedData !== undefined && { cachedData } };
    const script = new vm.Script(this.#sourceOf(name), options);
    this.compiled.set(name, script);
    if (cachedData !== undefined && script.cachedDataRejected === false) this.#taken.add(name);
    if (cachedData !== undefined) giveBack(cachedData);
    return script;
  }

  #sourceOf(name: string): string {
    const isOfStart = name in this.#index.scripts;
    const bytes = this.#read(isOfStart ? `${name}.txt` : `${name}.gz`);
    const text = new TextDecoder().decode(isOfStart ? bytes : gunzipSync(bytes));
    giveBack(bytes);
    return text;
  }

  /** The engine itself looks at no more than where a cache begins, and falls over what is damaged. */
  #cacheOf(name: string): Buffer | undefined {
    if (!this.#index.cached.includes(name)) return undefined;
    const { buffer } = this.#read(`${name}.cache`);
    const header = Buffer.from(buffer, 0, CACHE_HEADER_BYTES).toString();
    const cache = Buffer.from(buffer, CACHE_HEADER_BYTES);
    return header === cacheHeader(crc32(cache)) ? cache : undefined;
  }

  #read(name: string): Uint8Array<ArrayBuffer> {
    const path = `scripts/${name}`;
    return this.#attached?.has(path)
      ? this.#attached.read(path)
      : Deno.readFileSync(new URL(name, this.#folder));
  }

  #startCaches(): StartCaches {
    for (const name of this.#index.cached) {
      if (!this.compiled.has(name)) this.#compile(name);
    }
    return Object.fromEntries(
      this.#index.cached.map((name) => [name, this.#taken.has(name) ? "taken" : "refused"]),
    );
  }
}

/** Memory that a process which does little would keep for long. */
function giveBack({ buffer }: Uint8Array): void {
  (buffer as ArrayBuffer).transfer(0);
}
