/**
 * Completion, asked of the shells themselves.
 *
 * @module
 */

import assert from "node:assert/strict";
import { needsTool, runTool } from "../support/outside_tool.ts";
import { runCommand } from "./run_in_process.ts";

/** What a shell offers behind some words, the last of which is being typed. */
type Offers = (words: readonly string[]) => Promise<readonly string[]>;

const SHELLS: Readonly<Record<string, (script: string) => Offers>> = {
  bash: (script) => async (words) => {
    const given = ["tollgate", ...words].map((word) => `'${word}'`).join(" ");
    return await ask("bash", [
      "--norc",
      "-c",
      `set -eu; source ${script}; complete -p tollgate >/dev/null; COMP_WORDS=(${given}); ` +
      `COMP_CWORD=${words.length}; _tollgate; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ]);
  },
  // Its completion widgets want a terminal: what they are handed is printed instead.
  zsh: (script) => async (words) => {
    const given = ["tollgate", ...words].map((word) => `'${word}'`).join(" ");
    const offered = await ask("zsh", [
      "-f",
      "-c",
      `autoload -Uz compinit; compinit -D -u; source ${script}; ` +
      `[[ $_comps[tollgate] == _tollgate ]] || exit 3; ` +
      `_describe() { print -rl -- "\${(@P)\${@[-1]}}" }; ` +
      `compadd() { shift; print -rl -- "$@" }; _files() { print FILES }; _message() { : }; ` +
      `words=(${given}); CURRENT=${words.length + 1}; _tollgate`,
    ]);
    return offered.map((line) => line.split(":")[0]!).filter((name) =>
      name.startsWith(words.at(-1)!) || name === "FILES"
    );
  },
  fish: (script) => async (words) => {
    const offered = await ask("fish", [
      "--no-config",
      "-c",
      `source ${script}; complete -C "tollgate ${words.join(" ")}"`,
    ]);
    return offered.map((line) => line.split("\t")[0]!);
  },
};

for (const [shell, offersOf] of Object.entries(SHELLS)) {
  Deno.test(
    `completion ${shell} offers commands, options and choices`,
    needsTool(shell),
    async () => {
      const folder = await Deno.makeTempDir({ prefix: "tollgate-completion-" });
      try {
        const { code, stdout, stderr } = await runCommand(["completion", shell]);
        assert.equal(code, 0);
        assert.equal(stderr, "");
        const script = `${folder}/script`;
        await Deno.writeTextFile(script, stdout);
        const offers = offersOf(script);

        const first = await offers([""]);
        for (const name of ["serve", "projects", "backup", "completion"]) {
          assert.ok(first.includes(name), name);
        }
        assert.ok(!first.includes("create"), "a command of a group");
        assert.deepEqual(await offers(["proj"]), ["projects"]);
        assert.deepEqual(await offers(["projects", "cre"]), ["create", "credit"]);
        assert.ok((await offers(["keys", "create", "--pr"])).includes("--project"));
        assert.ok(!(await offers(["keys", "create", "--li"])).includes("--listen"));
        assert.ok((await offers(["--lis"])).includes("--listen"), "serve's own, without its name");
        assert.deepEqual(
          [...await offers(["routes", "explain", "--routing-preference", ""])].sort(),
          [
            "highest_reliability",
            "highest_throughput",
            "lowest_latency",
            "lowest_price",
            "official_only",
          ],
        );
        const shells = (await offers(["completion", ""])).filter((one) => !one.startsWith("-"));
        assert.deepEqual(shells.toSorted(), ["bash", "fish", "zsh"]);
        // A word behind an option is no command.
        assert.ok(!(await offers(["serve", "--data-dir", "keys", "cre"])).includes("create"));
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  );
}

async function ask(shell: string, args: readonly string[]): Promise<readonly string[]> {
  const home = await Deno.makeTempDir({ prefix: "tollgate-shell-" });
  try {
    const { code, stdout, stderr } = await runTool(shell, args, { env: { HOME: home } });
    assert.equal(stderr, "");
    assert.equal(code, 0);
    return stdout.split("\n").filter((line) => line !== "");
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}
