/**
 * `tollgate doctor`
 *
 * @module
 */

import type { Command } from "commander";
import type { Finding } from "../../admin/base/doctor_finding.ts";
import { type Doctor, runDoctor } from "../../admin/local/doctor.ts";
import { UnreadableAnswer } from "../../admin/base/client.ts";
import { testProviders } from "../../admin/catalogue/providers.ts";
import { showSystem } from "../../admin/system.ts";
import { diagnose, lookAhead } from "../../app/doctor/diagnose.ts";
import { bucketOf } from "../../app/film_place.ts";
import { diagnoseServer, type ServerSilence } from "../../admin/process.ts";
import type { AskedServer } from "../../app/doctor/patient.ts";
import { readProxiedSchemes } from "../../config/proxied_schemes.ts";
import { readS3Access } from "../../config/s3_access.ts";
import { createSecretResolver } from "../../config/secrets.ts";
import { systemClock } from "../../domain/clock.ts";
import { answerWithin, LateError } from "../../domain/wait_at_most.ts";
import type { Cli, CommonOptions } from "../base/cli.ts";
import { localCommand } from "../operations/operation_command.ts";
import { type Readiness, readReadiness, serverClient } from "../base/control_client.ts";
import { CommandFailure } from "../base/failure.ts";
import { findTarget, type Target } from "../base/find_server.ts";
import { printable } from "../base/table.ts";

/** Longer than a server that works keeps anybody waiting. */
const ANSWER_MS = 5_000;
const CHECK_WIDTH = 10;

export function doctor(cli: Cli): Command {
  return localCommand(cli, {
    operation: runDoctor,
    description: "Look for what is wrong with a data dir, its server and its upstreams, and say " +
      "what to do. Changes nothing; works with and without a server. Exits 1 when there is a " +
      "problem; a warning is none.",
    example: "doctor --offline",
    deps: (options) => doctorHere(cli, options),
    print(findings, json) {
      if (json === true) cli.printJson(findings);
      if (findings.some(({ status }) => status === "problem")) cli.fail();
    },
  });
}

/** It prints each line as soon as there is one. */
async function doctorHere(cli: Cli, options: CommonOptions): Promise<Doctor> {
  const { around } = cli.terminal;
  const place = await cli.place(options);
  const target = findTarget(place, around);
  const secrets = createSecretResolver({ env: around.env, clock: systemClock });
  const resolveSecret = (reference: string) => secrets.resolve(reference);
  return {
    async *diagnose({ isOffline }) {
      const { database } = place;
      const looked = lookAhead(database);
      const server = await ask(target, { isOffline, hasDatabase: database !== undefined });
      yield* diagnose({
        dataDir: target.dataDir,
        database,
        looked,
        filmBucket: bucketOf({ ...place, s3: readS3Access(around.env, resolveSecret) }),
        server,
        resolveSecret,
        reserveBytes: place.disk.reserveBytes,
        proxied: readProxiedSchemes(around.env),
        oidcIssuer: server?.answers?.system.oidc_issuer ?? place.oidcIssuer,
        isOffline,
        clock: systemClock,
      });
    },
    onFinding(finding) {
      if (options.json !== true) cli.terminal.out(lineOf(finding));
    },
  };
}

function lineOf({ check, status, detail, remedy }: Finding): string {
  const head = `${status.padEnd("warning".length)}  ${check.padEnd(CHECK_WIDTH)}`;
  const next = remedy === null ? "" : `${" ".repeat(head.length)}→ ${printable(remedy)}\n`;
  return `${head}${printable(detail)}\n${next}`;
}

/**
 * `undefined` when no server answers, whatever the lock file says.
 *
 * @param options `hasDatabase`: whether the database can be looked at from here.
 */
async function ask(
  { server }: Target,
  { isOffline, hasDatabase }: { readonly isOffline: boolean; readonly hasDatabase: boolean },
): Promise<AskedServer | undefined> {
  if (server === undefined) return undefined;
  const { pid, socket } = server;
  const client = serverClient({ socketPath: socket, user: undefined });
  const look = async (options: { readonly isOffline: boolean }) =>
    (await client.call(diagnoseServer, { offline: options.isOffline })).findings;
  try {
    const { status, reasons, warnings, node } = await answerWithin(
      ANSWER_MS,
      readReadiness(socket),
    );
    // It waits for its database while it is asked the rest, which may wait for that as well.
    const looking = node === undefined || hasDatabase ? undefined : look({ isOffline });
    looking?.catch(() => {});
    const { system, silence } = await answerWithin(ANSWER_MS, client.call(showSystem, {})).then(
      (system) => ({ system, silence: undefined }),
      // Asked again, one that went, or hangs, meanwhile does not answer at all.
      async (error) => ({
        system: undefined,
        silence: silenceOf(error, await answerWithin(ANSWER_MS, readReadiness(socket))),
      }),
    );
    const isOverServer = node !== undefined || (system?.database_server ?? undefined) !== undefined;
    return {
      pid,
      answers: system && { system, ready: status === "ready", reasons, warnings },
      silence,
      diagnose: isOverServer ? (options) => looking ?? look(options) : undefined,
      testProviders: () => client.call(testProviders, {}),
    };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return undefined;
  }
}

/** What a path that a server does not have is refused with. */
const UNKNOWN: ReadonlySet<number | undefined> = new Set([404, 405]);
/** What it answers while its database does not. */
const AWAY = 503;

/** A node looks at its database several times a second. */
const SILENT_SECONDS = 1;

/** @param readiness What the server says after it has refused: of its node, if its database is on a server. */
function silenceOf(error: unknown, { node }: Readiness): ServerSilence {
  const isRefusal = error instanceof CommandFailure;
  const isUnknown = isRefusal && UNKNOWN.has(error.status);
  if (isUnknown || error instanceof UnreadableAnswer) return { kind: "older" };
  const isAway = error instanceof LateError || (isRefusal && error.status === AWAY) ||
    (node?.database_silence_seconds ?? 0) >= SILENT_SECONDS;
  if (node !== undefined && isAway) return { kind: "database_away" };
  return { kind: "other", reason: error instanceof Error ? error.message : String(error) };
}
