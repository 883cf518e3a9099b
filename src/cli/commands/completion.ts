/**
 * `tollgate completion SHELL`
 *
 * @module
 */

import { Argument, type Command } from "commander";
import type { Cli } from "../base/cli.ts";

/** As {@linkcode import("../completion/scripts.ts").SHELLS}, which is loaded when it is wanted. */
const SHELLS = ["bash", "zsh", "fish"] as const;

/** @param whole Makes the tree of all commands. */
export function completion(cli: Cli, whole: () => Promise<Command>): Command {
  return cli.command("completion", {
    summary: "Print what completes commands and options in a shell",
    description: "Print what completes commands and options in a shell. bash: add to ~/.bashrc " +
      '`eval "$(tollgate completion bash)"`. zsh: the same in ~/.zshrc, behind compinit. fish: ' +
      "write it to ~/.config/fish/completions/tollgate.fish.",
    example: "completion bash",
  })
    .addArgument(new Argument("<shell>", "whose").choices([...SHELLS]))
    .action(async (shell: typeof SHELLS[number]) => {
      const { commandTree } = await import("../completion/command_tree.ts");
      const { completionScript } = await import("../completion/scripts.ts");
      cli.terminal.out(completionScript(shell, commandTree(await whole())));
    });
}
