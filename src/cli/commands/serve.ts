/**
 * `tollgate serve`
 *
 * @module
 */

import type { Command } from "commander";
import { createLog, type GatewayOptions, startGateway } from "../../app/gateway.ts";
import { threadsByMachine } from "../../app/threads/threads_by_machine.ts";
import { formatListenAddress } from "../../config/listen_address.ts";
import { flagsFromOptions, type FoundSettings, loadSettings } from "../../config/load_settings.ts";
import { controlSocketPlace, makePrivateFolder } from "../../config/paths.ts";
import { readProxiedSchemes } from "../../config/proxied_schemes.ts";
import type { Settings } from "../../config/process_settings.ts";
import { readS3Access } from "../../config/s3_access.ts";
import { readSupervision } from "../../config/supervision.ts";
import { formatProblem } from "../../documents/problem.ts";
import { readPostgresAddress } from "../../domain/postgres_address.ts";
import { isSecretReference } from "../../domain/secret_uses.ts";
import { systemClock } from "../../domain/clock.ts";
import { badSettings, type Cli } from "../base/cli.ts";
import { CommandFailure } from "../base/failure.ts";
import { firstLines } from "../serving/first_lines.ts";
import { KnownSecrets } from "../serving/known_secrets.ts";
import { openLifeSigns } from "../serving/open_life_signs.ts";
import { servingWords } from "../serving/serving_words.ts";
import { untilStopped } from "../serving/until_stopped.ts";
import { addSettingOptions } from "../base/setting_options.ts";
import type { Terminal } from "../base/terminal.ts";

export function serve(cli: Cli): Command {
  const command = cli.command("serve", {
    summary: "Serve the gateway (also without a command)",
    description: "Serve the gateway. The first run makes a data dir, a project and a key, and " +
      "shows a first call to paste. SIGHUP reads secret files and the --catalog file again; SIGTERM or SIGINT " +
      "ends when the calls under way have, a second one at once.",
    example: "serve --listen 0.0.0.0:8080 --data-dir /var/lib/tollgate",
  });
  return addSettingOptions(command).action(async (options: Readonly<Record<string, unknown>>) => {
    const { terminal } = cli;
    const loaded = await loadSettings(flagsFromOptions(options), terminal.around);
    cli.warn(loaded.warnings.map(formatProblem));
    if (!loaded.ok) throw badSettings(loaded.problems);
    const started = await start(loaded, terminal);
    cli.warn(linkWarnings(loaded.settings, started.gateway.baseUrl));
    // Before the first lines: whoever has read them may say at once that it is enough.
    const stopped = untilStopped(started, terminal);
    terminal.out(await firstLines(started.gateway, terminal));
    const { gateway, life } = started;
    life.ready({
      isAlive: () => gateway.storageAnswers(),
      status: () =>
        servingWords(gateway.baseUrl, { calls: gateway.openCalls(), films: gateway.openVideos() }),
    });
    cli.exitCode = await stopped;
  });
}

/** Links in answers are made before anyone knows how this machine is called from elsewhere. */
function linkWarnings({ listen, baseUrl, videos }: Settings, used: string): readonly string[] {
  const isEvery = listen.hostname === "0.0.0.0" || listen.hostname === "::";
  if (!isEvery || baseUrl !== undefined || !videos.publicLinks) return [];
  return [
    `Links to films begin with ${used}, which other machines cannot open: set --base-url to ` +
    "the address that callers use, or --public-links false for none",
  ];
}

async function start(
  { settings, shown: shownSettings }: FoundSettings,
  terminal: Terminal,
) {
  const { around } = terminal;
  const supervision = readSupervision(around.env);
  const secrets = new KnownSecrets(around.env, [
    settings.metrics?.token,
    ...secretsOfDatabase(settings.database),
    ...Object.values(settings.otlp?.headers ?? {}),
    ...settings.alerts.targets.map(({ url }) => url).filter(hasSecretPath),
  ], settings.adminKey);
  const log = createLog({
    format: settings.logFormat,
    level: settings.logLevel,
    isTerminal: terminal.errIsTerminal,
    priorities: supervision.logsToJournal,
    color: terminal.errColors,
    write: writeStderr,
    secrets: () => secrets.values,
    clock: systemClock,
  });
  secrets.onKept = ({ reference, message }) =>
    log.warn("secret_kept", { reference, message: `${message}: its last value stays in use` });
  const life = await openLifeSigns(supervision, log);
  life.starting();
  try {
    const place = controlSocketPlace(settings.dataDir, around);
    if (place.privateFolder !== undefined) await makePrivateFolder(place.privateFolder, around);
    const options: GatewayOptions = {
      ...settings,
      threads: settings.threads ?? ownThreads(settings),
      shownSettings,
      socketPath: place.path,
      resolveSecret: (reference) => secrets.resolve(reference),
      rereadSecrets: () => secrets.reread(),
      s3: readS3Access(around.env, (reference) => secrets.resolve(reference)),
      keptSecrets: () => secrets.kept(),
      proxied: readProxiedSchemes(around.env),
      log,
    };
    const { drainTimeoutMs } = settings;
    return { gateway: await startGateway(options), log, life, drainTimeoutMs };
  } catch (error) {
    life.end();
    await log.flush();
    throw explain(error, settings);
  }
}

function ownThreads({ guard, otlp }: Settings): number {
  return threadsByMachine({
    processors: navigator.hardwareConcurrency,
    os: Deno.build.os,
    isWatched: guard !== undefined || otlp !== undefined,
  });
}

/** The address as it was written, and the password in it. */
function secretsOfDatabase(database: Settings["database"]): readonly (string | undefined)[] {
  if (database === undefined) return [];
  const read = readPostgresAddress(database.url);
  return [database.url, read.ok ? read.address.password : undefined];
}

/** Such as Slack's: whoever knows it may write there. A reference's value is known once it is read. */
function hasSecretPath(url: string): boolean {
  return !isSecretReference(url) && new URL(url).pathname.length > 1;
}

async function writeStderr(bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await Deno.stderr.write(bytes.subarray(sent));
}

/** Says what a failure to listen means, and what to do. */
function explain(error: unknown, { listen }: Settings): unknown {
  const address = formatListenAddress(listen);
  if (error instanceof Deno.errors.AddrInUse) {
    return new CommandFailure(
      `Cannot listen on ${address}: another process does already. Choose another address with --listen, such as --listen ${
        formatListenAddress({ ...listen, port: 0 })
      } for any free port`,
      { cause: error },
    );
  }
  // The runtime has no classes of its own for names that lead nowhere.
  const isUnknown = error instanceof Error &&
    /^(?:failed to lookup address|invalid host)/.test(error.message);
  if (isUnknown || error instanceof Deno.errors.AddrNotAvailable) {
    return new CommandFailure(
      `Cannot listen on ${address}: this machine has no such address. Choose another one with --listen`,
      { cause: error },
    );
  }
  if (error instanceof Deno.errors.PermissionDenied && listen.port < 1024 && listen.port > 0) {
    return new CommandFailure(
      `Cannot listen on ${address}: permission denied. Choose a port of 1024 or more with --listen, or allow this one`,
      { cause: error },
    );
  }
  return error;
}
