/**
 * `tollgate init`
 *
 * @module
 */

import { type Command, InvalidArgumentError } from "commander";
import type { Cli } from "../base/cli.ts";
import type { InitOptions } from "../init/set_up.ts";

const DEFAULT_PORT = 8080;

export function init(cli: Cli): Command {
  return cli.adminCommand("init", {
    summary: "Set up a first gateway: providers, a project and a key",
    description: "Set up a first gateway. It finds vendors whose key is in the environment, and " +
      "Ollama on this machine, and shows what it would add. Then it adds them, the built-in models " +
      "and a project with a key, which is shown once. What is there already stays as it is.",
    example: "init --provider openai --key env:OPENAI_API_KEY --yes",
  })
    .option("--yes", "add without asking")
    .option("--dry-run", "print what would be added, change nothing")
    .option("--provider <vendor>", "a vendor to add instead of those that are found; or none", add)
    .option("--key <reference>", "the key of the one that is named: env:NAME, file:/path …")
    .option("--project <id>", "the project that is made where there is none", "default")
    .option("--port <n>", "the port that the next commands name", readPort, DEFAULT_PORT)
    .action(async (options: InitOptions) => {
      const { setUp } = await import("../init/set_up.ts");
      await setUp(cli, options);
    });
}

function add(vendor: string, before: readonly string[] = []): readonly string[] {
  return [...before, vendor];
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError("Expected a port, 1 to 65535.");
}
