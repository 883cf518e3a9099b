/**
 * A disk of its own for a test, small enough to be filled.
 *
 * @module
 */

const BLOCK_BYTES = 4_096;

/** A tmpfs that is gone with the test. */
export class SmallDisk implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @throws {Error} when this user may not mount anything. */
  static async mount(bytes: number): Promise<SmallDisk> {
    const disk = await SmallDisk.tryMount(bytes);
    if (disk === undefined) throw new Error("Cannot mount a small disk: run the tests as root");
    return disk;
  }

  /** As {@linkcode SmallDisk.mount}; `undefined` when this user may not mount anything. */
  static async tryMount(bytes: number): Promise<SmallDisk | undefined> {
    const folder = await Deno.makeTempDir({ prefix: "tollgate-disk-" });
    if (await succeeds("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder])) {
      return new SmallDisk(folder);
    }
    await Deno.remove(folder);
    return undefined;
  }

  /** Fills the disk until only `leaveBytes` or less are free: by default none. */
  async fill(leaveBytes = 0): Promise<void> {
    const left = Math.ceil(leaveBytes / BLOCK_BYTES) * BLOCK_BYTES;
    if (left > 0) await Deno.writeFile(`${this.folder}/spare`, new Uint8Array(left));
    using ballast = await Deno.open(`${this.folder}/ballast`, { append: true, create: true });
    const block = new Uint8Array(BLOCK_BYTES);
    while (await ballast.write(block).then((bytes) => bytes === BLOCK_BYTES, () => false));
    if (left > 0) await Deno.remove(`${this.folder}/spare`);
  }

  /** Frees what {@linkcode SmallDisk.fill} took. */
  async clear(): Promise<void> {
    await Deno.remove(`${this.folder}/ballast`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await succeeds("umount", [this.folder]);
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** Options for tests that need one: skipped where nothing can be mounted, but never in CI. */
export const needsSmallDisk: { readonly ignore: boolean } = {
  ignore: Deno.env.get("CI") !== "true" && !await canMount(),
};

async function canMount(): Promise<boolean> {
  await using disk = await SmallDisk.tryMount(1024 ** 2);
  return disk !== undefined;
}

async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  try {
    const command = new Deno.Command(program, { args: [...args], stdout: "null", stderr: "null" });
    return (await command.output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
