/**
 * What a release offers to this kind of machine, once it has been checked whose it is.
 *
 * @module
 */

import { CommandFailure } from "../base/failure.ts";
import { readSmall, type ReleaseSource } from "./release_source.ts";
import { checkSignature, type PublicKey } from "./signature.ts";

/** An archive of a release. */
export interface OfferedRelease {
  readonly version: string;
  readonly archive: string;
  readonly sha256: string;
  readonly isSigned: boolean;
}

const SUMS = "SHA256SUMS";
const MOST_SUMS_BYTES = 65_536;
const MOST_SIGNATURE_BYTES = 4_096;

/**
 * Reads a release's checksums, checks their signature, and finds the archive for `target`.
 *
 * @param key `undefined` to believe them as they are.
 * @throws {CommandFailure} Where they cannot be believed, or there is none for this machine.
 */
export async function readOffer(
  source: ReleaseSource,
  { key, target }: { readonly key: PublicKey | undefined; readonly target: string },
): Promise<OfferedRelease> {
  const bytes = await readSmall(source, SUMS, MOST_SUMS_BYTES);
  if (key !== undefined) {
    const signature = await readSmall(source, `${SUMS}.minisig`, MOST_SIGNATURE_BYTES);
    await checkSignature(bytes, new TextDecoder().decode(signature), key);
  }
  const lines = new TextDecoder().decode(bytes).split("\n");
  const archives = lines.flatMap((line) => {
    const [, sha256, archive] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line) ?? [];
    const [, version, triple] =
      /^tollgate-(\d+\.\d+\.\d+(?:-[\w.-]+?)?)-([a-z0-9_]+-(?:unknown|apple|pc)-[a-z0-9-]+)\.(?:tar\.gz|zip)$/
        .exec(archive ?? "") ?? [];
    return version === undefined
      ? []
      : [{ version, triple: triple!, archive: archive!, sha256: sha256! }];
  });
  const found = archives.find(({ triple, archive }) =>
    source.archive === undefined ? triple === target : archive === source.archive
  );
  if (found === undefined) {
    const there = archives.map(({ triple }) => triple).join(", ") || "no archive at all";
    throw new CommandFailure(
      `The release has nothing for ${source.archive ?? target}: it has ${there}`,
    );
  }
  if (found.triple !== target) {
    throw new CommandFailure(`${found.archive} is not for this machine, which is ${target}`);
  }
  const { version, archive, sha256 } = found;
  return { version, archive, sha256, isSigned: key !== undefined };
}

/**
 * Which of two versions is the later one, by semantic versioning: negative when `one` is the
 * earlier, 0 when they are the same.
 */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => {
    const [numbers = "", before = ""] = text.split(/-(.*)/s);
    return { numbers: numbers.split(".").map(Number), before };
  });
  for (const [index, number] of a!.numbers.entries()) {
    const difference = number - (b!.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // One that is made before a version comes before it.
  if (a!.before === b!.before) return 0;
  if (a!.before === "") return 1;
  if (b!.before === "") return -1;
  return a!.before.localeCompare(b!.before, "en", { numeric: true });
}
