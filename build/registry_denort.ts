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
import { FALLBACK_DENO } from "./toolchain.ts";

const PACKAGE = "bids-validator-deno";
const PACKAGE_VERSION = "2.4.0";
const PROGRAM_IN_WHEEL = `${
  PACKAGE.replaceAll("-", "_")
}-${PACKAGE_VERSION}.data/scripts/${PACKAGE}`;
const DENORT_SHA256 = "23bd19ba48c11df327fca649a81c9d44f0111d9951c1e93ef05bacc219e7ecc3";
const TARGET = "x86_64-unknown-linux-gnu";

/** The bytes that have been checked, in a folder that only this build uses. */
export interface Denort {
  readonly path: string;
  readonly fromCache: boolean;
}

/**
 * Finds the fallback `denort` in the cache or fetches it with pip.
 *
 * @throws {Error} saying why there is none: another platform, no python3, no package, wrong bytes.
 */
export async function registryDenort(): Promise<Denort> {
  if (Deno.build.target !== TARGET) {
    throw new Error(`Cannot fall back to denort ${FALLBACK_DENO} on ${Deno.build.target}`);
  }
  const cached = `${cacheFolder()}/denort-${FALLBACK_DENO}-${TARGET}`;
  if (await hasExpectedHash(cached)) return { path: cached, fromCache: true };

  await Deno.mkdir(cacheFolder(), { recursive: true, mode: 0o700 });
  const work = await Deno.makeTempDir({ dir: cacheFolder(), prefix: "fetch-" });
  try {
    const program = await fetchProgram(work);
    const fresh = `${work}/denort`;
    await Deno.writeFile(fresh, program.subarray(0, elfImageLength(program)), { mode: 0o700 });
    if (!await hasExpectedHash(fresh)) {
      throw new Error(`Cannot use the denort of ${PACKAGE}: its SHA-256 is not ${DENORT_SHA256}`);
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

async function fetchProgram(work: string): Promise<Uint8Array> {
  // deno-fmt-ignore
  const download = await runCommand([
    "python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
    "--no-deps", "--only-binary=:all:", `--dest=${work}`, `${PACKAGE}==${PACKAGE_VERSION}`,
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

/**
 * Length of a 64-bit little-endian ELF image: its section header table is the last thing in it.
 *
 * @throws {TypeError} if `bytes` is not such an image.
 */
export function elfImageLength(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isElf64 = bytes.length >= 64 && view.getUint32(0) === 0x7f454c46 && bytes[4] === 2;
  if (!isElf64) throw new TypeError("Cannot measure the image: it is not a 64-bit ELF file");
  const sectionTableOffset = Number(view.getBigUint64(0x28, true));
  const sectionEntryLength = view.getUint16(0x3a, true);
  const sectionCount = view.getUint16(0x3c, true);
  return sectionTableOffset + sectionEntryLength * sectionCount;
}

async function hasExpectedHash(path: string): Promise<boolean> {
  try {
    const bytes = await Deno.readFile(path);
    return createHash("sha256").update(bytes).digest("hex") === DENORT_SHA256;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
