/**
 * What goes beside an executable: licences, completions, the manual; and the archive of it all.
 *
 * @module
 */

import { completionScript, SHELLS } from "../../src/cli/completion/scripts.ts";
import { ROOT, START_CACHES } from "../paths.ts";
import { runCommand } from "../run_command.ts";
import { type Component, findComponents } from "./components.ts";
import { licenceFile } from "./licence_file.ts";
import { manPage, programTree } from "./man_page.ts";
import { sbom } from "./sbom.ts";
import type { Target } from "./targets.ts";

/** An executable that is to be packed. */
export interface Packed {
  readonly target: Target;
  readonly executable: string;
  readonly sha256: string;
  readonly version: string;
  /** The version of Deno inside. */
  readonly runtime: string;
  readonly epoch: number;
}

/** Where each shell looks for the completion of a program. */
export const COMPLETION_FILES: Readonly<Record<typeof SHELLS[number], string>> = {
  bash: "completions/tollgate.bash",
  zsh: "completions/_tollgate",
  fish: "completions/tollgate.fish",
};

/** Writes everything that a machine gets, but for its package's own files, into `folder`. */
export async function writeContents(folder: string, packed: Packed): Promise<void> {
  const components = await findComponents(packed.runtime);
  await Deno.mkdir(`${folder}/completions`, { recursive: true });
  await Deno.mkdir(`${folder}/man`);
  await Deno.copyFile(packed.executable, `${folder}/${packed.target.program}`);
  await Deno.chmod(`${folder}/${packed.target.program}`, 0o755);
  await Deno.copyFile(`${ROOT}/LICENSE`, `${folder}/LICENSE`);
  await Deno.copyFile(`${ROOT}/CHANGELOG.md`, `${folder}/CHANGELOG.md`);
  await writeGenerated(folder, components, packed);
}

/** What is made from declarations and from what is inside. */
export async function writeGenerated(
  folder: string,
  components: readonly Component[],
  { version, epoch }: Pick<Packed, "version" | "epoch">,
): Promise<void> {
  const tree = await programTree();
  await Deno.writeTextFile(`${folder}/THIRD_PARTY_LICENSES.txt`, licenceFile(components));
  await Deno.writeTextFile(`${folder}/man/tollgate.1`, manPage(tree, { version, epoch }));
  for (const shell of SHELLS) {
    await Deno.writeTextFile(`${folder}/${COMPLETION_FILES[shell]}`, completionScript(shell, tree));
  }
}

/**
 * Makes the archive and the bill of materials of one target in `out`, and names them.
 *
 * @throws {Error} when Python, which packs, fails.
 */
export async function pack(out: string, packed: Packed): Promise<readonly string[]> {
  const { target, version, runtime, sha256, epoch } = packed;
  const name = `tollgate-${version}-${target.triple}`;
  const work = await Deno.makeTempDir({ prefix: "tollgate-pack-" });
  try {
    await writeContents(`${work}/${name}`, packed);
    await packFolder(`${work}/${name}`, `${out}/${name}.${target.archive}`, epoch);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  const subject = { version, target: target.triple, sha256, epoch };
  await Deno.writeTextFile(`${out}/${name}.cdx.json`, sbom(subject, await findComponents(runtime)));
  return [`${name}.${target.archive}`, `${name}.cdx.json`];
}

/**
 * Packs what the engine compiled before of the executable for this machine: with it unpacked in
 * `dist`, the same sources give the same executable.
 */
export async function packStartCaches(
  out: string,
  { target, version, epoch }: Pick<Packed, "target" | "version" | "epoch">,
): Promise<string> {
  const name = `tollgate_start_caches-${version}-${target.triple}.tar.gz`;
  await packFolder(START_CACHES, `${out}/${name}`, epoch);
  return name;
}

/** Packs a folder by the archive's name; the same files give the same bytes. */
export async function packFolder(folder: string, archive: string, epoch: number): Promise<void> {
  const script = `${ROOT}/build/release/archive.py`;
  const packing = await runCommand(["python3", script, folder, archive, String(epoch)]);
  if (!packing.success) throw new Error(`Cannot pack ${archive}: ${packing.stderr.trim()}`);
}
