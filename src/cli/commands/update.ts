/**
 * `tollgate update`
 *
 * @module
 */

import type { Command } from "commander";
import { VERSION } from "../../version.ts";
import type { Cli } from "../base/cli.ts";
import { CommandFailure, EXIT_USAGE } from "../base/failure.ts";

interface UpdateOptions {
  readonly from?: string;
  readonly publicKey?: string;
  readonly unsigned?: boolean;
  readonly check?: boolean;
  readonly rollback?: boolean;
  readonly allowDowngrade?: boolean;
  readonly json?: boolean;
}

export function update(cli: Cli): Command {
  return cli.command("update", {
    summary: "Replace this executable by a release's, or go back",
    description: "Replace this executable by a release's: its checksum and its signature are " +
      "checked first, and it is run once to see that it does. The executable that was there stays " +
      "beside it, and it is replaced at once or not at all. A server that runs goes on with the old one until it is started anew.",
    example: "update --from https://example.com/tollgate/1.2.0/ --public-key tollgate.pub",
  })
    .option("--from <url|file>", "a release's folder, or an archive beside its SHA256SUMS")
    .option("--public-key <key|file>", "minisign's public key that the release is signed with")
    .option("--unsigned", "believe the checksums without a signature")
    .option("--check", "say what the release is, and change nothing")
    .option("--allow-downgrade", "take a release that is older than this executable")
    .option("--rollback", "go back to the executable before the last update")
    .option("--json", "print JSON")
    .action(async (options: UpdateOptions) => {
      if (options.rollback === true) return await rollBack(cli, options);
      await takeRelease(cli, options);
    });
}

async function takeRelease(cli: Cli, options: UpdateOptions): Promise<void> {
  if (options.from === undefined) {
    throw usage("Name the release with --from, or go back with --rollback");
  }
  const { compareVersions, readOffer } = await import("../update/offered_release.ts");
  const { releaseSource } = await import("../update/release_source.ts");
  const { readPublicKey } = await import("../update/signature.ts");
  const { cwd } = cli.terminal.around;
  const source = releaseSource(options.from, cwd);
  if (options.publicKey === undefined) requireUnsigned(options, source.isPrivate);
  const key = options.publicKey === undefined
    ? undefined
    : readPublicKey(await keyText(options.publicKey, cwd));
  const offer = await readOffer(source, { key, target: Deno.build.target });
  const order = compareVersions(offer.version, VERSION);
  const facts = {
    current: VERSION,
    offered: offer.version,
    archive: offer.archive,
    signed: offer.isSigned,
    newer: order > 0,
  };
  if (options.check === true) return show(cli, options, { ...facts, changed: false, next: [] });
  if (order === 0) {
    show(cli, options, { ...facts, changed: false, next: [] });
    return cli.say(`This is version ${VERSION} already: nothing was changed`);
  }
  if (order < 0 && options.allowDowngrade !== true) {
    throw new CommandFailure(
      `Version ${offer.version} is older than this one, ${VERSION}: an older version may not read ` +
        "the data of a newer one. Add --allow-downgrade to take it all the same",
    );
  }
  if (!offer.isSigned) cli.warn(["Nobody has signed this release: its checksum alone is checked"]);

  const { replaceableExecutable } = await import("../update/owner_of_executable.ts");
  const { refuseOtherKind, removeParts, switchTo, updateFiles } = await import(
    "../update/replace_executable.ts"
  );
  const { requireRuns } = await import("../update/try_executable.ts");
  const { saveChecked, unpackExecutable } = await import("../update/unpack.ts");
  const files = updateFiles(replaceableExecutable());
  using lock = openBeside(files.own);
  // Two updates at one time would write into one another's parts.
  await lock.lock(true);
  removeParts(files);
  try {
    await saveChecked(source.read(offer.archive), { path: files.archive, sha256: offer.sha256 });
    await unpackExecutable(files.archive, files.fresh);
    refuseOtherKind(files);
    await requireRuns(files.fresh, { version: offer.version });
    switchTo(files);
  } finally {
    removeParts(files);
  }
  const next = nextSteps();
  show(cli, options, { ...facts, changed: true, next });
  cli.say(
    `Version ${offer.version} is in place; ${files.previous} is the one before\nNext:\n` +
      next.map((line) => `  ${line}`).join("\n"),
  );
}

async function rollBack(cli: Cli, options: UpdateOptions): Promise<void> {
  const { replaceableExecutable } = await import("../update/owner_of_executable.ts");
  const { removeParts, switchBack, updateFiles } = await import("../update/replace_executable.ts");
  const files = updateFiles(replaceableExecutable());
  using lock = openBeside(files.own);
  await lock.lock(true);
  removeParts(files);
  switchBack(files);
  const next = nextSteps();
  const facts = { current: VERSION, changed: true, next };
  cli.printFacts(facts, { json: options.json, facts: [["left", `version ${VERSION}`]] });
  cli.say(
    `The executable before is in place again, and this one is ${files.previous}\nNext:\n` +
      next.map((line) => `  ${line}`).join("\n"),
  );
}

/** The folder itself is locked: it is there before and after, and no file is left in it. */
function openBeside(own: string): Deno.FsFile {
  const folder = own.slice(0, own.lastIndexOf("/")) || "/";
  try {
    const probe = `${own}.update`;
    Deno.openSync(probe, { write: true, create: true }).close();
    return Deno.openSync(folder);
  } catch (error) {
    if (
      error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable ||
      /read-only/i.test(String(error))
    ) {
      throw new CommandFailure(
        `Cannot write into ${folder}, where this executable is: run the command as its owner, such as with sudo`,
      );
    }
    throw error;
  }
}

interface UpdateFacts {
  readonly current: string;
  readonly offered: string;
  readonly archive: string;
  readonly signed: boolean;
  readonly newer: boolean;
  readonly changed: boolean;
  readonly next: readonly string[];
}

function show(cli: Cli, { json }: UpdateOptions, facts: UpdateFacts): void {
  cli.printFacts(facts, {
    json,
    facts: [
      ["version", facts.current],
      ["offered", `${facts.offered}${facts.newer ? "" : " (not newer)"}`],
      ["archive", facts.archive],
      ["signed", facts.signed ? "yes, by the key given" : "not checked"],
    ],
  });
}

/** That it runs has been tried; what it says of the data and the settings, its operator has to ask it. */
function nextSteps(): readonly string[] {
  const isService = isFile("/etc/systemd/system/tollgate.service");
  return [
    "tollgate version",
    "tollgate doctor --offline",
    isService ? "systemctl restart tollgate" : "stop the server that runs, and start it again",
    "tollgate update --rollback, should it not do",
  ];
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

function requireUnsigned({ unsigned }: UpdateOptions, isPrivate: boolean): void {
  if (unsigned !== true) {
    throw usage(
      "Give the key that the release is signed with, by --public-key; or add --unsigned to " +
        "believe whoever made its checksums",
    );
  }
  if (!isPrivate) {
    throw usage("--unsigned takes https or a file: anybody can change what http brings");
  }
}

async function keyText(given: string, cwd: string): Promise<string> {
  if (/^RW[\w+/]{54}$/.test(given)) return given;
  const { resolve } = await import("node:path");
  try {
    return await Deno.readTextFile(resolve(cwd, given));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw usage(`There is no public key ${given}: give a file, or the line that begins with RW`);
  }
}

function usage(message: string): CommandFailure {
  return new CommandFailure(message, { exitCode: EXIT_USAGE });
}
