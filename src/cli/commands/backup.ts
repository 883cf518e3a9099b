/**
 * `tollgate backup …`
 *
 * @module
 */

import { type Command, Option } from "commander";
import { createBackup, listBackups } from "../../admin/backups.ts";
import {
  type LocalBackups,
  restoreBackup,
  type RestoreReport,
  storedBackups,
  verifyBackup,
} from "../../admin/local/backups.ts";
import { examineBackup } from "../../app/backups/examine_backup.ts";
import { fetchBackup, listStored } from "../../app/backups/fetch_backup.ts";
import { restoreBackup as putInPlace } from "../../app/backups/restore_backup.ts";
import { readS3Access } from "../../config/s3_access.ts";
import { createSecretResolver } from "../../config/secrets.ts";
import { systemClock } from "../../domain/clock.ts";
import type { Cli, CommonOptions } from "../base/cli.ts";
import { CommandFailure, EXIT_USAGE } from "../base/failure.ts";
import { listCommand, localCommand, operationCommand } from "../operations/operation_command.ts";
import { type Facts, timeText } from "../base/table.ts";
import type { BackupReport } from "../../admin/base/backup_report.ts";

export function backup(cli: Cli): readonly Command[] {
  return [create(cli), list(cli), stored(cli), verify(cli), restore(cli)];
}

function create(cli: Cli): Command {
  return operationCommand(cli, {
    operation: createBackup,
    summary: "Write the database to one new file, while the gateway goes on",
    description: "Write the database to one new file, while the gateway goes on, and read it " +
      "again: pages, schema, books. Where a server runs, it writes the file itself. Films are " +
      "files of their own in <data>/videos and not in it; keys are in it as hashes only, the " +
      "secrets that sign webhooks as they are, so the file is readable for its owner alone.",
    example: "backup create --to /mnt/backups",
    args: { file: "[file]" },
    paths: ["file", "folder"],
    async run({ admin, operation, input, options: { json } }) {
      if ("file" in input && "folder" in input) {
        throw new CommandFailure("Name a file, or a folder with --to, not both", {
          exitCode: EXIT_USAGE,
        });
      }
      const report = await admin.callLong(operation, input);
      const took = ["Took", `${(report.milliseconds / 1000).toFixed(1)} s`] as const;
      cli.printFacts(report, { json, facts: [...backupFacts(report), took] });
      if (sayDifferences(cli, report)) {
        cli.say("The backup is as good as the database, whose books do not add up");
      }
      if (report.films > 0) {
        cli.say(`Copy ${admin.dataDir}/videos too: its films never change, only come and go`);
      }
    },
  });
}

function list(cli: Cli): Command {
  return listCommand(cli, {
    operation: listBackups,
    description: "List the backups that the server has made by itself (--backup-every) and that " +
      "are there, newest first.",
    example: "backup list",
    columns: () => [
      { header: "FILE", value: ({ id }) => id },
      { header: "MADE", value: ({ at }) => timeText(at) },
      { header: "BYTES", value: ({ bytes }) => String(bytes), align: "right" },
      { header: "BOOKS", value: ({ good }) => good ? "add up" : "do not add up" },
    ],
    none: "None that the server has made by itself: serve --backup-every 1d makes one each day. " +
      "Those of backup create are where that was told to put them",
  });
}

function stored(cli: Cli): Command {
  return localCommand(cli, {
    operation: storedBackups,
    description: "List the backups in a bucket, newest first: also on a machine that has nothing " +
      "else of the gateway. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and " +
      "AWS_ENDPOINT_URL_S3 say who asks, and where.",
    example: "backup stored s3://backups/tollgate",
    args: { place: "<place>" },
    isBare: true,
    extra: [new Option("--json", "print JSON")],
    deps: (options) => backupsHere(cli, options),
    print({ data }, json) {
      cli.printRows(data, {
        json,
        columns: [
          { header: "BACKUP", value: ({ id }) => id },
          { header: "MADE", value: ({ at }) => timeText(at) },
          { header: "BYTES", value: ({ bytes }) => String(bytes), align: "right" },
        ],
        none: "None: serve --backup-every 1d --backup-to s3://BUCKET/PREFIX makes one each day",
      });
    },
  });
}

function verify(cli: Cli): Command {
  return localCommand(cli, {
    operation: verifyBackup,
    description: "Read a backup from its first byte to its last: pages, schema, books. Its bytes " +
      "do not change. Exits 1 when it cannot be used, or its books do not add up.",
    example: "backup verify tollgate-20261121-145306.db",
    args: { file: "<file>" },
    paths: ["file"],
    isBare: true,
    extra: [new Option("--json", "print JSON")],
    deps: (options) => backupsHere(cli, options),
    print(report, json) {
      cli.printFacts(report, { json, facts: backupFacts(report) });
      sayDifferences(cli, report);
    },
  });
}

function restore(cli: Cli): Command {
  return localCommand(cli, {
    operation: restoreBackup,
    description: "Put a backup in the place of the data dir's database, which is kept under " +
      "another name. The backup is read first: pages, schema, books. No server may run on the " +
      "data dir. Calls that were open in the backup are released at the next start, as after a crash. " +
      "One in a bucket is fetched, and its films with it: s3://BUCKET/PREFIX is the newest there.",
    example: "backup restore s3://backups/tollgate --yes",
    args: { file: "<file>" },
    paths: ["file"],
    deps: (options) => backupsHere(cli, options),
    print(report, json) {
      cli.printFacts(report, { json, facts: restoreFacts(report) });
      sayNext(cli, report);
    },
  });
}

function backupsHere(cli: Cli, options: CommonOptions): LocalBackups {
  const { env } = cli.terminal.around;
  const secrets = createSecretResolver({ env, clock: systemClock });
  const s3 = readS3Access(env, (reference) => secrets.resolve(reference));
  return {
    async examine(file) {
      await using source = await fetchBackup(file, { s3 });
      return { ...await examineBackup(source.path), file: source.address };
    },
    async restore(asked) {
      const { dataDir } = await cli.place(options);
      return await putInPlace({ ...asked, s3, dataDir, now: systemClock.now() });
    },
    listStored: (place) => listStored(place, s3),
  };
}

function restoreFacts(report: RestoreReport): Facts {
  return [
    ...backupFacts(report),
    ["Restored", `${report.data_dir}/tollgate.db`],
    ["Kept", report.kept ?? "nothing: there was no database"],
  ];
}

function sayNext(cli: Cli, report: RestoreReport): void {
  if (report.open_calls > 0) {
    cli.say(
      `Calls that were open: ${report.open_calls}. The next start releases those without a film`,
    );
  }
  if (report.films_fetched > 0) {
    cli.say(`Films that were brought from the bucket: ${report.films_fetched}`);
  }
  if (report.films_missing > 0) {
    cli.say(
      `Films of it that are not in ${report.data_dir}/videos: ${report.films_missing}. Copy them there, else whoever asks for one is told that it is gone`,
    );
  }
  if (report.files_folder !== null) {
    cli.say(
      `Uploaded files that it does not know: ${report.files_set_aside}. The next start removes them from ${report.data_dir}/files, and they are kept in ${report.files_folder}`,
    );
  }
  if (report.films_folder !== null) {
    cli.say(
      `Films of tasks that it does not know: ${report.films_set_aside}. The next start removes them from ${report.data_dir}/videos, and they are kept in ${report.films_folder}`,
    );
  }
  if (report.kept !== null) {
    cli.say(`To go back, restore ${report.kept}. Remove it when you no longer need it`);
  }
}

/** What is printed of a backup, whether it was made, verified or restored. */
type Told = Omit<BackupReport, "milliseconds">;

/** A backup line by line. */
function backupFacts(report: Told): Facts {
  const { projects, calls, open_calls, ledger_rows, archives, films, film_bytes } = report;
  return [
    ["Backup", report.file],
    ["Size", `${report.bytes} bytes (${megabytes(report.bytes)})`],
    ["SHA-256", report.sha256],
    ["Schema", String(report.schema_version)],
    ["Rows", `${projects} projects, ${calls} calls (${open_calls} open), ${ledger_rows} of ledger`],
    ["Archives", archives === 0 ? "none" : `${archives}, which are not in it`],
    ["Films", films === 0 ? "none" : `${films} (${megabytes(film_bytes)}), which are not in it`],
    ["Books", booksText(report)],
  ];
}

/** Lists what does not add up and makes the command fail; `false` when everything does. */
export function sayDifferences(
  cli: Cli,
  { differences, omitted }: Pick<Told, "differences" | "omitted">,
): boolean {
  if (differences.length === 0) return false;
  for (const { table, id, column, detail } of differences.slice(0, MOST_LINES)) {
    cli.say(`${table} ${id}${column === null ? "" : `, ${column}`}: ${detail}`);
  }
  const more = differences.length + omitted - MOST_LINES;
  if (more > 0) cli.say(`and ${more} more`);
  cli.fail();
  return true;
}

const MOST_LINES = 20;

function booksText({ differences, omitted }: Told): string {
  const count = differences.length + omitted;
  return count === 0 ? "every balance and every price adds up" : `${count} differences`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
