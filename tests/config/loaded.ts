/**
 * Settings as tests load them: those that are right, and what is said of those that are not.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type FlagValues, loadSettings } from "../../src/config/load_settings.ts";
import { formatProblem } from "../../src/documents/problem.ts";
import { type GivenSurroundings, surroundings } from "./surroundings.ts";

export async function load(flags: FlagValues = {}, given: GivenSurroundings = {}) {
  const loaded = await loadSettings(flags, surroundings({ writable: ["/srv"], ...given }));
  if (!loaded.ok) assert.fail(loaded.problems.map(formatProblem).join("\n"));
  return loaded;
}

export async function faults(flags: FlagValues, given: GivenSurroundings = {}): Promise<string[]> {
  const loaded = await loadSettings(flags, surroundings({ writable: ["/srv"], ...given }));
  assert.ok(!loaded.ok, "the settings were accepted");
  return loaded.problems.map(formatProblem);
}
