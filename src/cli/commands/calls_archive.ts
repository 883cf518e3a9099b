/**
 * `tollgate calls archive --before DATE --to FILE`
 *
 * @module
 */

import { resolve } from "node:path";
import type { Command } from "commander";
import {
  type ArchiveAnswer,
  archiveCalls,
  type ArchiveStay,
  giveUpArchive,
} from "../../admin/archives/archive_calls.ts";
import type { Cli, CommonOptions } from "../base/cli.ts";
import { CommandFailure, EXIT_USAGE } from "../base/failure.ts";
import { callsArchiveRestore } from "./calls_archive_restore.ts";
import { callsArchiveVerify } from "./calls_archive_verify.ts";
import type { Facts } from "../base/table.ts";
import { readCount } from "../operations/field_options.ts";

interface Options extends CommonOptions {
  readonly before?: string;
  readonly to?: string;
  readonly dryRun?: boolean;
  readonly giveUp?: number;
  readonly acceptLoss?: boolean;
}

export function callsArchive(cli: Cli): Command {
  return cli.adminCommand("archive", {
    summary: "Move the calls of closed months to a file of their own, verify or restore one",
    description: "Move calls of whole months, with their ledger rows, to one new file, while the " +
      "gateway goes on. The file is read again and compared with the database before anything " +
      "is dropped there; broken off, the same command goes on. Sums stay, by whole days, so " +
      "reports tell of those months as before. The current month and the one before stay. The database's file " +
      "does not shrink: its free pages are used for what comes.",
    example: "calls archive --before 2026-09-01 --to /mnt/archives",
  })
    .option("--before <date>", "UTC date: calls of whole months before it")
    .option("--to <file>", "a path that nothing has yet, or a folder (default: <data>/archives)")
    .option("--dry-run", "only tell what would be archived, and what stays")
    .option(
      "--give-up <number>",
      "archive nothing: give up one on a database server whose file is lost, so that those of its calls " +
        "that are not dropped are archived anew",
      readCount,
    )
    .option(
      "--accept-loss",
      "give it up also where a part of it is dropped: those calls are nowhere but in its file",
    )
    .addCommand(callsArchiveVerify(cli))
    .addCommand(callsArchiveRestore(cli))
    .action(async ({ before, to, dryRun = false, giveUp, acceptLoss, ...options }: Options) => {
      if (giveUp !== undefined) {
        if (before !== undefined || to !== undefined || dryRun) {
          throw new CommandFailure("--give-up stands alone", { exitCode: EXIT_USAGE });
        }
        return await cli.administer(options, async (admin) => {
          const { number, file, calls } = await admin.call(giveUpArchive, {
            number: giveUp,
            ...(acceptLoss === true && { accept_loss: true }),
          });
          cli.printFacts({ number, file, calls }, {
            json: options.json,
            facts: [["Given up", String(number)], ["File", file], ["Calls", String(calls)]],
          });
          cli.say(
            "What it was to hold and is not dropped is in the database, and the next archive has it",
          );
        });
      }
      if (acceptLoss === true) {
        throw new CommandFailure("--accept-loss needs --give-up with an archive's number", {
          exitCode: EXIT_USAGE,
        });
      }
      if (before === undefined) {
        throw new CommandFailure(
          "Say up to when with --before, such as --before 2026-09-01: whole months before that " +
            "date are archived",
          { exitCode: EXIT_USAGE },
        );
      }
      const { cwd } = cli.terminal.around;
      await cli.administer(options, async (admin) => {
        const answer = await admin.callLong(archiveCalls, {
          before,
          dry_run: dryRun,
          ...(to !== undefined && { file: resolve(cwd, to) }),
        });
        cli.printFacts(answer, { json: options.json, facts: factsOf(answer) });
        if (answer.calls === 0 && answer.ledger_rows === 0 && answer.number === null) {
          cli.say(`There is nothing to archive before ${answer.before.slice(0, 10)}`);
        }
        for (const stay of answer.stays) cli.say(stayText(stay));
        if (answer.number !== null) {
          cli.say(
            `Keep ${answer.file}: it may be moved anywhere. tollgate calls archive verify proves it`,
          );
          if (answer.is_of_one_node) cli.say(ONE_COPY);
        }
      });
    });
}

const ONE_COPY = "It is the only copy of what was archived, in the data dir of the node that was " +
  "asked: bring it to where it is backed up, or archive --to a folder that all nodes share";

function factsOf(answer: ArchiveAnswer): Facts {
  const { calls, ledger_rows, from, to } = answer;
  return [
    [answer.dry_run ? "Would archive" : "Archived", `${calls} calls, ${ledger_rows} ledger rows`],
    ["From", from],
    ["To", to],
    ["Before", answer.before.slice(0, 10)],
    ["Number", answer.number === null ? null : String(answer.number)],
    ["File", answer.file],
    ["Size", answer.bytes === null ? null : `${answer.bytes} bytes`],
    ["SHA-256", answer.sha256],
    ["Took", `${(answer.milliseconds / 1000).toFixed(1)} s`],
  ];
}

function stayText({ what, count, why }: ArchiveStay): string {
  return `${count === null ? "" : `${count} `}${what}: ${why}`;
}
