/**
 * Whether a server has the data dir and is well; else what one left behind.
 *
 * @module
 */

import { publicWarnings } from "../../admin/catalogue/secret_warnings.ts";
import { UNTOLD_WARNING } from "../../admin/base/alert_rows.ts";
import { BACKUP_WARNING } from "../../admin/base/backup_report.ts";
import { exists } from "../../files/place_new_file.ts";
import { isDataDirLocked } from "../../storage/ownership/data_dir_lock.ts";
import { readLockOwner } from "../../storage/ownership/lock_owner.ts";
import { VERSION } from "../../version.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";
import type { AskedServer, Patient } from "./patient.ts";

const CHECK = "server";

/** Looks at the lock, which the kernel holds, and at what the server says. */
export async function examineServer({ dataDir, server }: Patient): Promise<readonly Finding[]> {
  if (server !== undefined) return examineAnswers(server);
  const owner = readLockOwner(dataDir);
  if (await isDataDirLocked(dataDir)) {
    if (owner?.kind === "cli") return [ok(CHECK, `A command has the data dir (${owner.pid})`)];
    const name = owner === undefined ? "A process" : `The server with process id ${owner.pid}`;
    return [
      problem(
        CHECK,
        `${name} has the data dir and does not answer${
          owner?.socket === undefined ? "" : ` on ${owner.socket}`
        }`,
        "If it is not just starting: look at its log, then end it and start it again",
      ),
    ];
  }
  const left = [
    ...(owner === undefined ? [] : [
      warning(
        CHECK,
        `${dataDir}/lock names process ${owner.pid}, which ended without giving the data dir back`,
        "Nothing: the next start takes the data dir. Look at the log to see why it ended",
      ),
    ]),
    ...await leftSocket(owner?.socket ?? `${dataDir}/control.sock`),
  ];
  return left.length > 0 ? left : [ok(CHECK, "None runs on the data dir")];
}

function examineAnswers(server: AskedServer): readonly Finding[] {
  const { pid, answers } = server;
  if (answers === undefined) return [silent(server)];
  const { system, ready, reasons } = answers;
  // What secrets lack is said where secrets are looked at, and whom alerts do not reach below.
  const ofSecrets = new Set(publicWarnings(system.secrets.filter(({ readable }) => !readable)));
  const warnings = answers.warnings.filter((text) =>
    !ofSecrets.has(text) && text !== UNTOLD_WARNING && text !== BACKUP_WARNING
  );
  const running = `Process ${pid}, version ${system.version}, since ${system.started_at}`;
  const findings = [
    ...(ready ? [] : [
      problem(CHECK, `${running}: takes no calls, as ${reasons.join("; ")}`, "Look at its log"),
    ]),
    ...warnings.map((text) => warning(CHECK, `${running}: ${text}`, "Look at its log")),
    ...(typeof system.backup_schedule?.trouble !== "string" ? [] : [
      warning(
        CHECK,
        `The last backup by schedule failed: ${system.backup_schedule.trouble}`,
        `Mend ${system.backup_schedule.folder}; the server tries again by itself`,
      ),
    ]),
    ...(system.alert_targets ?? []).flatMap(({ target, trouble, waiting }) =>
      trouble === null ? [] : [
        warning(
          CHECK,
          `Alerts do not reach ${target}: ${trouble}; ${waiting} wait for it`,
          "Mend --alert-url, and try it with tollgate alerts test",
        ),
      ]
    ),
    ...(system.version === VERSION ? [] : [
      warning(CHECK, `${running}: this program is version ${VERSION}`, "Restart the server"),
    ]),
  ];
  return findings.length > 0 ? findings : [ok(CHECK, `${running}: takes calls`)];
}

/** It runs, and says nothing of itself. */
function silent({ pid, silence }: AskedServer): Finding {
  const name = `The server with process id ${pid}`;
  switch (silence?.kind) {
    case "database_away":
      return problem(
        CHECK,
        `${name} does not answer what doctor asks, as its database does not`,
        "Have the database answer again: the server goes on by itself then, and a restart mends nothing",
      );
    case "other":
      return problem(
        CHECK,
        `${name} does not answer what doctor asks: ${silence.reason}`,
        "Look at its log",
      );
    default:
      return warning(
        CHECK,
        `${name} is older than this program and cannot be asked`,
        "Restart it with this version",
      );
  }
}

async function leftSocket(path: string): Promise<readonly Finding[]> {
  if (!await exists(path)) return [];
  return [
    warning(
      CHECK,
      `${path} was left by a server that ended at once`,
      "Nothing: the next start makes a new one",
    ),
  ];
}
