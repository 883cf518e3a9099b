/**
 * `tollgate providers add VENDOR`
 *
 * @module
 */

import { type Command, Option } from "commander";
import { addProvider } from "../../admin/vendors/add_provider.ts";
import { type Preset, presetOf, VENDORS } from "../../vendors/presets.ts";
import { isSecretReference } from "../../domain/secret_uses.ts";
import { CommandFailure, EXIT_USAGE } from "../base/failure.ts";
import { requireAgreed } from "../base/agreed.ts";
import type { Cli } from "../base/cli.ts";
import { operationCommand } from "../operations/operation_command.ts";
import { printChanges, readText } from "./apply.ts";

/** What may be left out, and is asked for where somebody sits there. */
interface Given {
  readonly vendor?: string | undefined;
  readonly id?: string | undefined;
  readonly api_key?: string | undefined;
  readonly base_url?: string | undefined;
  readonly aws_region?: string | undefined;
}

export function providersAdd(cli: Cli): Command {
  return operationCommand(cli, {
    operation: addProvider,
    description:
      "Add a vendor that is known by name: its provider, its models, what they can do, " +
      "and what they cost by the list of prices (see tollgate prices list). What is missing is " +
      "asked for on a terminal; the difference is shown before it is made. Again, it brings prices " +
      `up to date, and leaves what was set otherwise. Vendors: ${VENDORS.join(", ")}.`,
    example: "providers add openai --key env:OPENAI_API_KEY --models gpt-5-mini",
    args: { vendor: "<vendor>" },
    without: ["typed_key"],
    extra: [
      new Option("--yes", "change without asking"),
    ],
    mayCreate: true,
    async run({ admin, operation, input, options: { json, yes } }) {
      const preset = presetOf(String(input.vendor));
      refuseBareKey(String(input.vendor), input.api_key);
      const typed = input.api_key === "-" ? (await readText("-")).trim() : undefined;
      const asked = { ...input, ...(preset && askMissing(cli, preset, { ...input })) };
      const { api_key, ...others } = asked;
      const whole = {
        ...others,
        ...(typed !== undefined
          ? { typed_key: typed }
          : api_key !== undefined && api_key !== "" && { api_key }),
      };
      const before = await admin.call(operation, { ...whole, dry_run: true });
      const isKeyAlone = before.changes.length === 0 && whole.typed_key !== undefined;
      if (input.dry_run === true || before.changes.length === 0 && !isKeyAlone) {
        printChanges(cli, before, { json, none: "it is there already, with these prices" });
        return;
      }
      // Who has agreed beforehand reads the difference once: as what was made.
      const isAgreed = yes === true;
      if (!isAgreed) { for (const { line } of before.changes) cli.say(line); }
      if (isKeyAlone) cli.say(`~ key of provider ${before.provider}`);
      requireAgreed(cli, isAgreed);
      const answer = await admin.call(operation, { ...whole, dry_run: false });
      if (!isKeyAlone || json === true) {
        return printChanges(cli, answer, { json, none: "it is there already" });
      }
      cli.warn(answer.warnings);
      cli.say(`The new key of provider ${answer.provider} is in its file, and is used from now on`);
    },
  });
}

/** A key on a command line is read by other users, and stays in the shell's history. */
function refuseBareKey(vendor: string, key: string | undefined): void {
  if (key === undefined || key === "" || key === "-" || isSecretReference(key)) return;
  const command = `tollgate providers add ${vendor}`;
  throw new CommandFailure(
    "Expected where the key is, not the key itself, which others can read on a command line. " +
      "There are these ways:\n" +
      `  --key -                 reads it on stdin: ${command} --key - --yes < FILE\n` +
      "  --key env:NAME          a variable of the environment that the server is started with\n" +
      "  --key file:/PATH        a file that the server's user can read\n" +
      "  --key credential:NAME   what systemd hands over (service install --credential)\n" +
      "Without --key it is asked for on a terminal, and written to a file of the data dir",
    { exitCode: EXIT_USAGE },
  );
}

/** Asks for what only its operator knows. */
function askMissing(
  { terminal }: Cli,
  { title, key, asks = [] }: Preset,
  given: Given,
): Readonly<Record<string, string>> {
  if (!terminal.canAsk) return {};
  const told: Record<string, string | undefined> = { ...given };
  const answers: Record<string, string> = {};
  for (const { setting, for: what } of asks) {
    if (told[setting] !== undefined) continue;
    const answer = terminal.askLine(`${title}: ${what}: `).trim();
    if (answer !== "") answers[setting] = answer;
  }
  if (key !== undefined && given.api_key === undefined) {
    const typed = terminal.askLine(
      `${title}: its key, which is written to a file of the data dir, or a reference to it ` +
        `[as it is, or env:${key}]: `,
      { hidden: true },
    ).trim();
    if (/^(?:env|file|credential):/.test(typed)) answers.api_key = typed;
    else if (typed !== "") answers.typed_key = typed;
  }
  return answers;
}
