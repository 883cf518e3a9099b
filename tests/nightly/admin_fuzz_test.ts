/**
 * Administration is fuzzed at length, and the run finds the mistakes that it is there for: each is
 * made in a program of its own.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runAdminFuzz } from "../fuzz/admin/run_admin_fuzz.ts";
import { buildTestExecutable } from "../torture/test_build/build_test_executable.ts";
import type { SourcePatch } from "../torture/test_build/source_patch.ts";

const SEEDS = [1, 2, 3];
const CASES = 8_000;

for (const seed of SEEDS) {
  Deno.test(`administration holds against ${CASES} requests by seed ${seed}`, async () => {
    const { faults, tally } = await runAdminFuzz({ seed, cases: CASES });
    assert.deepEqual(faults, []);
    assert.deepEqual(tally.unreached, []);
  });
}

/** Mistakes, each with what the run says of it. */
const SEEDED_BUGS: readonly (SourcePatch & { readonly found: RegExp })[] = [
  {
    name: "members_are_not_held",
    says: "a member is answered about every project",
    edits: [{
      file: "src/admin/base/run_operation.ts",
      find: `if (rights.role !== "member") return input;`,
      replace: "if (rights.role !== undefined) return input;",
    }],
    found: /as member: it tells a member of \S+-of-theirs-|as member: it tells a member of \w+_/,
  },
  {
    name: "rights_are_asked_late",
    says: "an operation is run before the role of who asks is looked at",
    edits: [{
      file: "src/admin/base/run_operation.ts",
      find: `  requireRights(operation, origin.rights);
  const asked = checkInput(operation, input);
  const held = await holdTo(origin.rights, { operation, input: asked, deps });
  return await watched(operation, operation.run({ ...deps, origin, act: operation }, held));`,
      replace: `  const asked = checkInput(operation, input);
  const held = operation.heldTo === undefined
    ? asked
    : await holdTo(origin.rights, { operation, input: asked, deps });
  const done = await watched(operation, operation.run({ ...deps, origin, act: operation }, held));
  requireRights(operation, origin.rights);
  return done;`,
    }],
    found: /was answered 403 and changed/,
  },
  {
    name: "progress_is_text",
    says: "a film's progress is not of the published type",
    edits: [{
      file: "src/admin/videos.ts",
      find: `    progress: task.progress,
    size`,
      replace: `    progress: String(task.progress) as unknown as number,
    size`,
    }],
    found: /\$\.\S*progress: not number/,
  },
];

for (const { found, ...bug } of SEEDED_BUGS) {
  Deno.test(`the run finds that ${bug.says}`, async () => {
    const program = await buildTestExecutable([bug], { log() {} });
    const { faults } = await runAdminFuzz({
      ...{ seed: 14, cases: 700 },
      through: ["bash", "-c", `exec '${program}' "$@"`],
    });
    assert.ok(faults.some((fault) => found.test(fault)), faults.join("\n"));
  });
}
