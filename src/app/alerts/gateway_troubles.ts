/**
 * What is the matter with the gateway itself: its routes, disk, books, secrets, backups.
 *
 * @module
 */

import type { AdminDeps } from "../../admin/base/deps.ts";
import { missingSecrets } from "../../admin/catalogue/secret_warnings.ts";
import type { KeptSecret } from "../../config/secrets.ts";
import type { Model } from "../../domain/catalogue.ts";
import { isS3 } from "../../domain/s3_address.ts";
import type { Trouble } from "../../domain/alert.ts";
import { switchedOffWords } from "../../domain/switched_off.ts";
import { faultWords } from "../../domain/upstream_error.ts";
import type { Health } from "../../routing/health.ts";
import { type DiskRoom, lookAtDisk, roomAt } from "../database/look_at_disk.ts";
import type { ErrorShare } from "./error_share.ts";

/** What is looked at. */
export interface GatewaySources {
  readonly admin: Pick<AdminDeps, "catalogue" | "ledger" | "system" | "process" | "clock">;
  readonly health: Pick<Health, "isDown" | "coolingFault" | "coolingReason">;
  readonly errors: Pick<ErrorShare, "read">;
  /** From which share of failed calls on that is the matter. */
  readonly errorRatio: number;
  /** What is damaged of the database, if anything is known to be. */
  readonly damage: () => string | undefined;
  /** Why the last backup by schedule failed, if it did. */
  readonly backupTrouble: () => string | undefined;
  /** Where backups by schedule go, a folder or a bucket; `undefined` where there is no schedule. */
  readonly backupFolder: () => string | undefined;
  /** Why the catalogue file could not be applied last, if it could not. */
  readonly catalogueTrouble: () => string | undefined;
  /** Secrets whose last value stays in use, as their file cannot be read. */
  readonly keptSecrets: () => readonly KeptSecret[];
  /** Default: the system's. */
  readonly roomAt?: (folder: string) => DiskRoom;
}

/** A circuit that opens and closes again at once is the way of things. */
const CIRCUIT_MS = 15_000;
const COOLING_MS = 60_000;
/** A file may be missing for the moment in which it is written anew. */
const SECRET_MS = 30_000;
const MOST_CHARACTERS = 300;
/** Routes of a model that are named as switched off; the rest is counted. */
const MOST_OFF = 3;

export function gatewayTroubles(sources: GatewaySources): readonly Trouble[] {
  return [
    ...ledgerTroubles(sources),
    ...diskTroubles(sources),
    ...errorTroubles(sources),
    ...routeTroubles(sources),
    ...secretTroubles(sources),
    ...one(sources.backupTrouble(), (why) => ({
      ...{ cause: "backup", id: "schedule", severity: "warning", path: "/console/system" },
      text: `The backup by schedule failed: ${why}`,
      help: "tollgate doctor; tollgate backup create --to DIR makes one now",
    })),
    ...one(sources.catalogueTrouble(), (why) => ({
      ...{ cause: "catalogue", id: "file", severity: "warning", path: "/console/models" },
      text: `The catalogue file was not applied, and the one before it goes on: ${why}`,
      help: "Mend the file, and send the server SIGHUP",
    })),
  ];
}

function ledgerTroubles({ admin: { ledger }, damage }: GatewaySources): readonly Trouble[] {
  return [
    ...(ledger.troubled
      ? [
        {
          ...{ cause: "ledger", id: "write", severity: "grave", path: "/console/ledger" } as const,
          text: "The ledger cannot be written: no call is taken",
          help: "tollgate doctor, and the server's log",
        },
      ]
      : []),
    ...one(damage(), (why) => ({
      ...{ cause: "ledger", id: "damage", severity: "grave", path: "/console/ledger" },
      text: `The database is damaged: ${why}`,
      help: "tollgate doctor; tollgate backup restore puts a backup in its place",
    })),
  ];
}

function diskTroubles(
  { admin: { system }, backupFolder, roomAt: read = roomAt }: GatewaySources,
): readonly Trouble[] {
  const { dataDir, diskReserveBytes: reserveBytes } = system;
  const whose = "the server";
  const room = read(dataDir);
  const place = backupFolder();
  const folder = place === undefined || isS3(place) ? undefined : place;
  const backupRoom = folder === undefined ? undefined : roomOrNone(folder, read);
  return [
    ...diskTrouble("", lookAtDisk(dataDir, { reserveBytes, whose, room })),
    ...(folder === undefined || backupRoom === undefined || backupRoom.device === room.device
      ? []
      : diskTrouble(
        "backups/",
        lookAtDisk(folder, { reserveBytes: 0, whose, room: backupRoom, remedy: BACKUP_REMEDY }),
      )),
  ];
}

const BACKUP_REMEDY = "Make room, or keep fewer backups with --backup-keep";

/** A folder that cannot be looked at, such as of a disk that is not mounted, fails the next backup. */
function roomOrNone(folder: string, read: typeof roomAt): DiskRoom | undefined {
  try {
    return read(folder);
  } catch {
    return undefined;
  }
}

function diskTrouble(
  which: "" | "backups/",
  { status, detail, remedy }: ReturnType<typeof lookAtDisk>,
): readonly Trouble[] {
  if (status === "ok") return [];
  return [{
    cause: "disk",
    // What gets worse is told again.
    id: which + status,
    // Without room for backups calls are served all the same.
    severity: status === "problem" && which === "" ? "grave" : "warning",
    text: detail,
    help: remedy ?? "tollgate doctor",
    path: "/console/system",
  }];
}

function errorTroubles({ admin, errors, errorRatio }: GatewaySources): readonly Trouble[] {
  const found = errors.read(admin.clock.monotonic());
  if (found === undefined || found.failed < found.calls * errorRatio) return [];
  const share = Math.round(found.failed / found.calls * 100);
  return [{
    cause: "errors",
    id: "calls",
    severity: "grave",
    text: `${share} % of the calls of five minutes failed: ${found.failed} of ${found.calls}`,
    help: "tollgate calls list --status failed; tollgate routes list",
    path: "/console/routes",
  }];
}

function routeTroubles({ admin: { catalogue }, health }: GatewaySources): readonly Trouble[] {
  return catalogue.current.models.flatMap((model) => {
    const inUse = model.routes.filter(({ enabled, maintenance }) => enabled && !maintenance);
    const down = inUse.filter(({ id }) => health.isDown(id));
    const isLast = down.length === inUse.length;
    return down.map((route): Trouble => {
      const { id, providerId } = route;
      const fault = health.coolingFault(id);
      const isCooling = fault !== undefined || health.coolingReason(id) === "cooling_down";
      const why = fault === undefined ? "it failed again and again" : faultWords(fault);
      return {
        cause: "route",
        id,
        severity: isLast ? "grave" : "warning",
        route: id,
        text: `Route ${id} is down, as ${why}${
          isLast ? `: model ${model.id} has no other that serves${offWords(model)}` : ""
        }`,
        help: `tollgate routes show ${id}; tollgate providers test ${providerId}`,
        path: `/console/routes?model=${encodeURIComponent(model.id)}`,
        afterMs: isCooling ? COOLING_MS : CIRCUIT_MS,
      };
    });
  });
}

/** A route that is switched off is not down any more, and does not serve again either. */
export function endOfTrouble(
  { catalogue }: Pick<AdminDeps, "catalogue">,
  { route: id }: Trouble,
): string | undefined {
  const route = id === undefined ? undefined : catalogue.current.route(id);
  const words = route === undefined ? [] : switchedOffWords(route);
  return words.length === 0 ? undefined : `now it is ${words.join(", and ")}`;
}

/** Routes of a model that an operator has switched off: those could serve for the ones that are down. */
function offWords({ routes }: Model): string {
  const off = routes.flatMap((route) =>
    switchedOffWords(route).map((words) => `${route.id} is ${words}`)
  );
  if (off.length === 0) return "";
  const more = off.length - MOST_OFF;
  return `, as ${off.slice(0, MOST_OFF).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function secretTroubles({ admin, keptSecrets }: GatewaySources): readonly Trouble[] {
  const path = "/console/providers";
  const missing = missingSecrets(admin, admin.catalogue.current.catalogue.providers).map((
    { reference, provider, warning },
  ): Trouble => ({
    cause: "secret",
    id: `${provider}/${reference}`,
    severity: "warning",
    text: warning,
    help: "tollgate doctor",
    path,
    afterMs: SECRET_MS,
  }));
  const kept = keptSecrets().map(({ reference, message }): Trouble => ({
    cause: "secret",
    id: `file/${reference}`,
    severity: "warning",
    text: `${message}: its last value stays in use until a restart`,
    help: "Put the file back, and send the server SIGHUP",
    path,
    afterMs: SECRET_MS,
  }));
  return [...missing, ...kept];
}

function one(
  why: string | undefined,
  trouble: (why: string) => Trouble,
): readonly Trouble[] {
  if (why === undefined) return [];
  const line = why.split("\n", 1)[0]!;
  return [trouble(line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line)];
}
