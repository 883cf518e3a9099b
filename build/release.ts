// deno-lint-ignore-file no-console -- a task talks to the person who ran it

/**
 * `deno task release [--target T]… [--out DIR] [--sign] [--dirty]`: everything that people download,
 * for each kind of machine that this one can build for. The same commit gives the same bytes, with the
 * same start caches for this machine.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { NoRuntimeError } from "./compile_program.ts";
import { buildExecutable, buildForeign } from "./executable.ts";
import { DIST } from "./paths.ts";
import { runCommand } from "./run_command.ts";
import { type Commit, readCommit } from "./release/commit.ts";
import { KEY_VARIABLES, minisign, readSigningKey, type SigningKey } from "./release/minisign.ts";
import { debianPackage } from "./release/debian.ts";
import { npmPackage } from "./release/npm_package.ts";
import { pack, type Packed, packStartCaches } from "./release/pack.ts";
import { type Target, TARGETS } from "./release/targets.ts";

const log = (line: string) => console.error(line);

try {
  await release();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  Deno.exitCode = 1;
}

async function release(): Promise<void> {
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      target: { type: "string", multiple: true },
      out: { type: "string", default: `${DIST}/release` },
      sign: { type: "boolean", default: false },
      dirty: { type: "boolean", default: false },
    },
  });
  const targets = (values.target ?? TARGETS.map(({ triple }) => triple)).map(targetOf);
  // Whatever stands against a release is said before the first minute of it.
  const key = await findKey(values.sign);
  const commit = await readCommit();
  refuseChanges(commit, values.dirty);
  const out = resolve(values.out);
  await refuseFull(out);
  await Deno.mkdir(out, { recursive: true });

  const own = await buildExecutable({ log });
  const files: string[] = [];
  const missing: string[] = [];
  for (const target of targets) {
    try {
      files.push(...await releaseFor(target, { own, commit, out }));
    } catch (error) {
      if (!(error instanceof NoRuntimeError)) throw error;
      missing.push(`${target.triple}  ${error.message}`);
    }
  }
  if (files.length > 0) {
    files.push(await npmPackage(out, { version: own.version, epoch: commit.epoch }));
  }
  if (files.length === 0) throw new Error(`Nothing was built\n${missing.join("\n")}`);
  await writeSums(out, files, { key, commit });
  for (const line of missing) console.log(`not built  ${line}`);
  if (key === undefined) {
    console.log(
      `not signed  Add --sign, with the key in ${Object.values(KEY_VARIABLES).join(" or ")}`,
    );
  }
}

async function releaseFor(
  target: Target,
  { own, commit, out }: {
    readonly own: Awaited<ReturnType<typeof buildExecutable>>;
    readonly commit: Commit;
    readonly out: string;
  },
): Promise<readonly string[]> {
  const { version } = own;
  const { epoch } = commit;
  if (target.triple === Deno.build.target) {
    const { path: executable, sha256, runtime } = own;
    const files = await packAll(out, { target, executable, sha256, version, runtime, epoch });
    console.log(`built  ${target.triple}  Deno ${runtime}`);
    return [...files, await packStartCaches(out, { target, version, epoch })];
  }
  // Under the name that it has in the archive, as `deno compile` adds what it misses.
  const folder = await Deno.makeTempDir({ prefix: "tollgate-foreign-" });
  try {
    const executable = `${folder}/${target.program}`;
    const { runtime, isProven } = await buildForeign(target.triple, { output: executable, log });
    const sha256 = createHash("sha256").update(await Deno.readFile(executable)).digest("hex");
    const files = await packAll(out, { target, executable, sha256, version, runtime, epoch });
    const proof = isProven ? "run under an emulator" : "not run: this machine cannot";
    console.log(`built  ${target.triple}  Deno ${runtime}, ${proof}, without start caches`);
    return files;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The archive, and the package of those that have one; it needs Debian's tool. */
async function packAll(out: string, packed: Packed): Promise<readonly string[]> {
  const files = await pack(out, packed);
  if (packed.target.debian === undefined) return files;
  const { success } = await runCommand(["dpkg-deb", "--version"]);
  if (success) return [...files, await debianPackage(out, packed)];
  console.log(`not built  ${packed.target.triple}.deb  dpkg-deb is not installed`);
  return files;
}

function targetOf(triple: string): Target {
  const target = TARGETS.find((one) => one.triple === triple);
  if (target === undefined) {
    const known = TARGETS.map((one) => one.triple).join(", ");
    throw new Error(`There is no target '${triple}': there are ${known}`);
  }
  return target;
}

async function findKey(isAsked: boolean): Promise<SigningKey | undefined> {
  if (!isAsked) return undefined;
  const file = Deno.env.get(KEY_VARIABLES.file);
  const text = Deno.env.get(KEY_VARIABLES.text) ??
    (file === undefined ? undefined : await Deno.readTextFile(file));
  if (text === undefined) {
    throw new Error(
      `Cannot sign: no key is given. Set ${KEY_VARIABLES.file} to the secret key file that ` +
        `minisign -G -W made, or ${KEY_VARIABLES.text} to its text`,
    );
  }
  return await readSigningKey(text);
}

function refuseChanges({ changed, hash }: Commit, isAllowed: boolean): void {
  if (changed.length === 0 || isAllowed) return;
  throw new Error(
    `Cannot release ${hash.slice(0, 12)}: ${changed.length} files differ from it, such as ` +
      `${changed[0]}. Commit them, or add --dirty for a release that nobody can make again`,
  );
}

/** What lies there from another time would be taken for a part of this release. */
async function refuseFull(out: string): Promise<void> {
  const entries = await Array.fromAsync(Deno.readDir(out)).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  });
  if (entries.length > 0) throw new Error(`Cannot release into ${out}: it is not empty`);
}

async function writeSums(
  out: string,
  files: readonly string[],
  { key, commit }: { readonly key: SigningKey | undefined; readonly commit: Commit },
): Promise<void> {
  const lines: string[] = [];
  for (const file of files.toSorted()) {
    const sha256 = createHash("sha256").update(await Deno.readFile(`${out}/${file}`)).digest("hex");
    lines.push(`${sha256}  ${file}`);
  }
  const sums = `${lines.join("\n")}\n`;
  await Deno.writeTextFile(`${out}/SHA256SUMS`, sums);
  console.log(sums.trimEnd());
  if (key === undefined) return;
  const trusted = `timestamp:${commit.epoch}\tfile:SHA256SUMS\tcommit:${commit.hash}`;
  const signature = await minisign(new TextEncoder().encode(sums), key, { trusted });
  await Deno.writeTextFile(`${out}/SHA256SUMS.minisig`, signature);
}
