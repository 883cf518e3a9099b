/**
 * Which tests there are, and what each kind of them needs.
 *
 * @module
 */

/** Some of the tests. */
export interface Suite {
  /** Files and folders, from the project's root. */
  readonly paths: readonly string[];
  /** Those among them that are left out. */
  readonly ignored: readonly string[];
  /** Whether they drive the executable, which is built first. */
  readonly needsExecutable: boolean;
  /** Files at a time for each processor: those that wait (for a disk, for processes) wait together. */
  readonly filesPerProcessor: number;
}

/** Tests that are not run by `deno task test:unit`. */
const BEYOND_UNITS = ["tests/e2e", "tests/fuzz", "tests/nightly"];

/** All of them, by the name that `deno task test:…` has. */
export const SUITES = {
  all: { paths: ["tests/", "render/"], ignored: [], needsExecutable: true, filesPerProcessor: 1 },
  unit: {
    paths: ["tests/"],
    ignored: BEYOND_UNITS,
    needsExecutable: false,
    filesPerProcessor: 2,
  },
  e2e: {
    paths: ["tests/e2e"],
    ignored: [],
    needsExecutable: true,
    filesPerProcessor: 2,
  },
  render: { paths: ["render/"], ignored: [], needsExecutable: false, filesPerProcessor: 1 },
  nightly: {
    paths: ["tests/nightly", "tests/fuzz"],
    ignored: [],
    needsExecutable: true,
    filesPerProcessor: 1,
  },
} as const satisfies Record<string, Suite>;

/** The name of a suite. */
export type SuiteName = keyof typeof SUITES;
