/**
 * The end of a process, as its files see it: from some step on, nothing more is
 * done to them.
 *
 * @module
 */

/** What changes files, of everything that a restore uses. */
const CHANGES = [
  "chmod",
  "chown",
  "copyFile",
  "link",
  "makeTempDir",
  "mkdir",
  "open",
  "remove",
  "rename",
] as const;

/** Lets so many changes through and refuses all others, until it is disposed. */
export class FileSystemCrash implements Disposable {
  readonly #real = new Map<string, unknown>();
  #left: number;

  constructor(after: number) {
    this.#left = after;
    const target = Deno as unknown as Record<string, unknown>;
    for (const name of CHANGES) {
      const real = target[name] as (...args: unknown[]) => unknown;
      this.#real.set(name, real);
      target[name] = (...args: unknown[]) => {
        if (--this.#left < 0) return Promise.reject(new Error(`The crash is before ${name}`));
        return real(...args);
      };
    }
  }

  /** Whether anything was refused. */
  get hasCome(): boolean {
    return this.#left < 0;
  }

  [Symbol.dispose](): void {
    for (const [name, real] of this.#real) {
      (Deno as unknown as Record<string, unknown>)[name] = real;
    }
  }
}
