/**
 * `tollgate calls archive verify FILE`
 *
 * @module
 */

import { resolve } from "node:path";
import type { Command } from "commander";
import type { ArchiveProof } from "../../admin/base/archive_report.ts";
import { listArchives } from "../../admin/archives/archive_calls.ts";
import { examineArchive } from "../../app/archives/examine_archive.ts";
import type { Cli, CommonOptions } from "../base/cli.ts";
import { sayDifferences } from "./backup.ts";
import { ownOptions } from "./calls_archive_options.ts";
import type { Facts } from "../base/table.ts";

interface Options extends CommonOptions {
  readonly alone?: boolean;
}

/** What the database says of the archive's place in its ledger. */
interface Belonging {
  /** `null` when no database was asked. */
  readonly belongs: boolean | null;
  readonly belongs_why: string;
}

export function callsArchiveVerify(cli: Cli): Command {
  return cli.adminCommand("verify", {
    summary: "Read an archive from its first byte to its last",
    description: "Read an archive from its first byte to its last: re-add every balance, reprice " +
      "every call, compare everything with what it states, and that with what the database " +
      "keeps of it. Its bytes do not change. Exits 1 when anything differs.",
    example: "calls archive verify /mnt/archives/tollgate-calls-to-2026-08.db",
  })
    .argument("<file>", "an archive")
    .option("--alone", "compare it with no database, such as on another machine")
    .action(async (file: string, _own: Options, command: Command) => {
      const { alone = false, ...options } = ownOptions<Options>(command);
      const proof = await examineArchive(resolve(cli.terminal.around.cwd, file));
      const belonging = alone
        ? { belongs: null, belongs_why: "it was not compared with a database" }
        : await askDatabase(cli, options, proof);
      cli.printFacts({ ...proof, ...belonging }, {
        json: options.json,
        facts: factsOf(proof, belonging),
      });
      sayDifferences(cli, proof);
      if (belonging.belongs === false) {
        cli.say(`It is not the database's: ${belonging.belongs_why}`);
        cli.fail();
      }
    });
}

async function askDatabase(
  cli: Cli,
  options: CommonOptions,
  { number, sha256 }: ArchiveProof,
): Promise<Belonging> {
  let belonging: Belonging | undefined;
  await cli.administer(options, async (admin) => {
    const { archives } = await admin.call(listArchives, {});
    const kept = archives.find((archive) => archive.number === number);
    belonging = kept === undefined
      ? { belongs: false, belongs_why: `it knows no archive ${number}: was a backup restored?` }
      : kept.sha256 !== sha256
      ? { belongs: false, belongs_why: `its archive ${number} states something else` }
      : { belongs: true, belongs_why: `the ledger in ${admin.dataDir} goes on from it` };
  });
  return belonging!;
}

function factsOf(
  proof: ArchiveProof,
  { belongs_why }: Belonging,
): Facts {
  const { differences, omitted } = proof;
  const count = differences.length + omitted;
  return [
    ["Archive", proof.file],
    ["Number", String(proof.number)],
    ["Before", proof.before.slice(0, 10)],
    [
      "Rows",
      proof.runs === undefined
        ? `${proof.calls} calls, ledger rows ${proof.from_seq} to ${proof.to_seq}`
        : `${proof.calls} calls, ${proof.runs} sealed runs of the ledger`,
    ],
    ["SHA-256", proof.sha256],
    ["Books", count === 0 ? "every balance and every price adds up" : `${count} differences`],
    ["Database", belongs_why],
  ];
}
