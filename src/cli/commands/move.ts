/**
 * `tollgate move --to postgres://…`, `tollgate move --from postgres://…`
 *
 * @module
 */

import { resolve } from "node:path";
import type { Command } from "commander";
import type { MoveReport } from "../../app/move/move_report.ts";
import { moveToFile } from "../../app/move/move_to_file.ts";
import { moveToServer } from "../../app/move/move_to_server.ts";
import type { DatabasePlace } from "../../config/process_settings.ts";
import { createSecretResolver } from "../../config/secrets.ts";
import { systemClock } from "../../domain/clock.ts";
import type { AwaitedSession } from "../../domain/session.ts";
import { formatAmount } from "../../domain/money.ts";
import { readPostgresAddress } from "../../domain/postgres_address.ts";
import type { Cli, CommonOptions } from "../base/cli.ts";
import { CommandFailure, EXIT_USAGE } from "../base/failure.ts";
import { followHere } from "../base/follow_work.ts";

interface Options extends CommonOptions {
  readonly to?: string;
  readonly from?: string;
  readonly databaseCa?: string;
  readonly yes?: boolean;
}

/** Tables of which a person has never heard matter only where they are not the same. */
const SHOWN_TABLES: ReadonlySet<string> = new Set([
  ...["projects", "keys", "ledger", "calls", "audit", "price_versions"],
  ...["video_tasks", "stored_responses", "uploaded_files", "batches"],
]);

export function move(cli: Cli): Command {
  return cli.adminCommand("move", {
    summary: "Move the database to a PostgreSQL server, or back into a data dir",
    description:
      "Move the database of a data dir to a PostgreSQL server, or back: every row as it " +
      "is, then the books are added up again and both sides compared. Where several nodes have served, " +
      "their books are proved and become a file's one book on the way back, numbered anew. What is " +
      "moved stays where it was, and says that it is not to be served any more. While the data dir is served its rows " +
      "are copied ahead: stop the server and run the same command again, which brings what came " +
      "since. Broken off at any moment, the source is as it was, and the same command goes on. " +
      "Films, files and kept prompts stay in the data dir. The address may be env:NAME or " +
      "file:/path, as it has a password.",
    example: "move --to env:TOLLGATE_NEW_DATABASE",
  })
    .option("--to <url>", "the server's database: an empty one, or one of an earlier move")
    .option("--from <url>", "move back: the server's database, from which nobody serves")
    .option("--database-ca <file>", "certificates (PEM) of the authorities of the server's")
    .option("--yes", "with --from: replace the database that the data dir has; it is kept")
    .action(async (options: Options) => {
      const { to, from } = options;
      if ((to === undefined) === (from === undefined)) {
        throw new CommandFailure(
          "Say where to with --to env:NAME or file:/path, which has " +
            "postgres://USER:PASSWORD@HOST/DATABASE, or where from with --from",
          { exitCode: EXIT_USAGE },
        );
      }
      if (to !== undefined && options.yes === true) {
        throw new CommandFailure("--yes is for --from: --to replaces no database", {
          exitCode: EXIT_USAGE,
        });
      }
      const { dataDir } = await cli.place(options);
      const server = serverOf(cli, to === undefined ? "from" : "to", options);
      const now = () => systemClock.now();
      const report = await followHere(cli.terminal, (watcher) => {
        const sides = { dataDir, server, watcher, now };
        return to === undefined
          ? moveToFile({
            ...sides,
            mayReplace: options.yes === true,
            onWait: (awaited) => cli.say(waitingText(awaited)),
          })
          : moveToServer(sides);
      });
      print(cli, report, { json: options.json });
      sayNext(cli, report, { dataDir, isBack: to === undefined });
    });
}

/** @throws {CommandFailure} If it is no address. It is not repeated: it has a password. */
function serverOf(
  cli: Cli,
  option: "to" | "from",
  { databaseCa, ...options }: Options,
): DatabasePlace {
  const written = options[option]!;
  const { env, cwd } = cli.terminal.around;
  let url = written;
  if (/^(env|file|credential):/.test(written)) {
    const found = createSecretResolver({ env, clock: systemClock }).resolve(written);
    if (!found.ok) throw new CommandFailure(found.message, { exitCode: EXIT_USAGE });
    url = found.value;
  }
  const read = readPostgresAddress(url);
  if (!read.ok) throw new CommandFailure(read.message, { exitCode: EXIT_USAGE });
  if (url === written && read.address.password !== undefined) {
    cli.warn([
      `Whoever lists processes on this machine (ps) sees the password in --${option}: write the address ` +
      `into a variable or a file, and give --${option} env:TOLLGATE_NEW_DATABASE or file:/path`,
    ]);
  }
  return { url, caFile: databaseCa === undefined ? undefined : resolve(cwd, databaseCa) };
}

/** Nothing else is seen of a move meanwhile. */
function waitingText({ session, label, silentMs }: AwaitedSession): string {
  return `Waiting for the end of session ${session}, of ${label}: it was killed, or is about to show ` +
    `that it lives; ${silentMs / 1_000} s at most`;
}

function print(
  cli: Cli,
  report: MoveReport,
  { json }: { readonly json: boolean | undefined },
): void {
  const { from, to, tables, balances, books, kept } = report;
  const amounts = {
    from: formatAmount(balances.from),
    to: formatAmount(balances.to),
  };
  const value = {
    ...{ from, to, tables, balances: amounts },
    is_whole: books !== undefined,
    kept: kept ?? null,
    earlier: report.earlier ?? null,
    rows_written: report.rows,
    books: books?.checked ?? null,
  };
  if (json === true) return cli.printJson(value);
  const shown = tables.filter((one) => SHOWN_TABLES.has(one.table));
  const others = tables.filter((one) => !SHOWN_TABLES.has(one.table));
  const sum = (side: "from" | "to") => others.reduce((all, one) => all + one[side], 0);
  cli.printRows(
    [
      ...shown.map((one) => [one.table, String(one.from), String(one.to)] as const),
      [`${others.length} further tables`, String(sum("from")), String(sum("to"))] as const,
      ["balances of all projects", amounts.from, amounts.to] as const,
    ],
    {
      json,
      columns: [
        { header: "", value: ([name]) => name },
        { header: "FROM", value: ([, there]) => there, align: "right" },
        { header: "TO", value: ([, , here]) => here, align: "right" },
      ],
      none: "",
    },
  );
}

function sayNext(
  cli: Cli,
  { earlier, books, kept, keepsPrompts, from, to, rows }: MoveReport,
  { dataDir, isBack }: { readonly dataDir: string; readonly isBack: boolean },
): void {
  if (earlier !== undefined) cli.say(`Of the earlier move: ${earlier}`);
  if (books === undefined) {
    return cli.say(
      `Copied ahead: ${rows} rows. ${dataDir} is served, so this is not the end: stop the server and ` +
        "run the same command again. Until then nobody can serve from what is there",
    );
  }
  cli.say(`Moved: ${rows} rows written, and the books in ${to} add up`);
  if (kept !== undefined) cli.say(`The database that was there is kept: ${kept}`);
  if (isBack) {
    if (keepsPrompts === true) {
      cli.say(
        "Prompts that were kept in a bucket stay there, and are not shown by a gateway with a file",
      );
    }
    return cli.say(
      `Start with --data-dir ${dataDir} and without database_url. ${from} says that it was moved; ` +
        "films and files are in the data dir of whoever served from it: have them in this one",
    );
  }
  cli.say(
    `Start with the server as database_url (TOLLGATE_DATABASE_URL) and the same data dir, which keeps ` +
      `films, files and kept prompts. With a bucket the first start brings these prompts there. ${from} stays as it is, for the way back, and is not served any more`,
  );
}
