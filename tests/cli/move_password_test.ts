/**
 * A password on the command line of `move`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runCommand, withDataDir } from "./run_in_process.ts";

/** Nobody listens there. */
const ADDRESS = "postgres://tollgate:Sehr%2Dgeheim@127.0.0.1:1/tg";
const PASSWORD = /Sehr(%2D|-)geheim/;

Deno.test("move warns of a password that others see in the list of processes, and does not repeat it", async () => {
  await withDataDir(async (dataDir) => {
    for (const option of ["to", "from"]) {
      const args = ["move", `--${option}`, ADDRESS, "--data-dir", dataDir];
      const { stdout, stderr } = await runCommand(args);
      assert.match(
        stderr,
        new RegExp(
          `^Warning: .*\\(ps\\) sees the password in --${option}: .*--${option} env:`,
          "m",
        ),
      );
      assert.doesNotMatch(stdout + stderr, PASSWORD);
    }
  });
});

Deno.test("move warns of no password where the address is in a variable, or has none", async () => {
  await withDataDir(async (dataDir) => {
    for (const to of ["env:NEW_DATABASE", "postgres://tollgate@127.0.0.1:1/tg"]) {
      const { code, stderr } = await runCommand(["move", "--to", to, "--data-dir", dataDir], {
        env: { NEW_DATABASE: ADDRESS },
      });
      assert.equal(code, 1);
      assert.doesNotMatch(stderr, /Warning/);
      assert.doesNotMatch(stderr, PASSWORD);
    }
  });
});
