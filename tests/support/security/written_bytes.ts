/**
 * Every byte that a program has written, to look for what should not be there, and
 * who may open it.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** A text that is looked for. */
export interface Needle {
  /** What it is, for the sentence that it was found. */
  readonly name: string;
  readonly text: string;
  /** The files that may have it, by their path below the folder; by default none. */
  readonly allowed?: RegExp;
}

/** Something that was written: a file below a folder, or output. */
export interface Written {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Every file below a folder; one that goes away meanwhile is left out. */
export async function readWritten(folder: string, below = ""): Promise<readonly Written[]> {
  const written: Written[] = [];
  for await (const { name, isFile, isDirectory } of Deno.readDir(folder + below)) {
    const path = `${below}/${name}`;
    if (isDirectory) written.push(...await readWritten(folder, path));
    if (!isFile) continue;
    try {
      written.push({ name: path, bytes: await Deno.readFile(folder + path) });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return written;
}

/** A sentence for each needle in each place that must not have it, in any form that hides it thinly. */
export function needlesIn(
  written: readonly Written[],
  needles: readonly Needle[],
): readonly string[] {
  const found: string[] = [];
  for (const { name, bytes } of written) {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (const needle of needles) {
      if (needle.allowed?.test(name) === true) continue;
      for (const [form, text] of formsOf(needle.text)) {
        if (buffer.includes(text)) found.push(`${name} has ${needle.name}${form}`);
      }
    }
  }
  return found;
}

/** A text as it is, and as encodings write it that anybody can undo. */
function formsOf(text: string): readonly (readonly [form: string, text: string | Buffer])[] {
  const bytes = Buffer.from(text);
  const base64 = [0, 1, 2].map((offset) =>
    // Without what depends on the bytes around it.
    Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64").slice(4).replace(/.{4}$/, "")
  );
  return [
    ["", text],
    [" in base64", base64[0]!],
    [" in base64", base64[1]!],
    [" in base64", base64[2]!],
    [" in hexadecimal", bytes.toString("hex")],
    [" backwards", [...text].reverse().join("")],
    [" in UTF-16", Buffer.from(text, "utf16le")],
  ];
}

/** Looks again and again at who may open what is below a folder, also what is there for a moment. */
export class ModeWatch implements AsyncDisposable {
  /** Names that were seen, without ids. */
  readonly seen = new Set<string>();
  readonly #open = new Set<string>();
  readonly #watching: Promise<void>;
  #isOver = false;

  constructor(folder: string) {
    this.#watching = this.#watch(folder);
  }

  /** A sentence for everything that others than its owner might open. */
  get open(): readonly string[] {
    return [...this.#open];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#watching;
  }

  async #watch(folder: string): Promise<void> {
    while (!this.#isOver) {
      this.#look(folder, "");
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    this.#look(folder, "");
  }

  #look(folder: string, below: string): void {
    try {
      const { mode, isDirectory } = Deno.lstatSync(folder + below);
      if ((mode! & 0o077) !== 0) {
        this.#open.add(`${below || "the data dir"} has the mode ${(mode! & 0o777).toString(8)}`);
      }
      this.seen.add(below.replaceAll(/video_[a-z0-9]+|\d{8}\S*(?=\.db)/g, "ID"));
      if (!isDirectory) return;
      for (const { name } of Deno.readDirSync(folder + below)) {
        this.#look(folder, `${below}/${name}`);
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}
