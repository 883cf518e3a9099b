/**
 * The kinds of machine that a release is for.
 *
 * @module
 */

/** One of them. */
export interface Target {
  /** As `Deno.build.target` has it. */
  readonly triple: string;
  /** The executable's name in the archive. */
  readonly program: "tollgate" | "tollgate.exe";
  readonly archive: "tar.gz" | "zip";
  /** As Debian calls the architecture; absent where there is no package. */
  readonly debian?: string;
}

export const TARGETS: readonly Target[] = [
  {
    triple: "x86_64-unknown-linux-gnu",
    program: "tollgate",
    archive: "tar.gz",
    debian: "amd64",
  },
  {
    triple: "aarch64-unknown-linux-gnu",
    program: "tollgate",
    archive: "tar.gz",
    debian: "arm64",
  },
  { triple: "x86_64-apple-darwin", program: "tollgate", archive: "tar.gz" },
  { triple: "aarch64-apple-darwin", program: "tollgate", archive: "tar.gz" },
  { triple: "x86_64-pc-windows-msvc", program: "tollgate.exe", archive: "zip" },
];
