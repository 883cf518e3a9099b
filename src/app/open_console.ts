/**
 * The console of a gateway that listens: its pages, and what administration knows of it.
 *
 * @module
 */

import { AdminAccess } from "../admin/base/access.ts";
import { ConsoleLinks, linksHere } from "../admin/base/console_links.ts";
import type { AdminDeps } from "../admin/base/deps.ts";
import type { SecretResult } from "../config/secrets.ts";
import type { OidcSettings } from "../domain/oidc.ts";
import { onDemand } from "../domain/on_demand.ts";
import type { ConsoleHandler } from "../http/mount_console.ts";
import {
  endedAtServer,
  type EndedSessionsOptions,
  keepEndedSessions,
} from "./sessions/keep_ended_sessions.ts";
import type { Log } from "../telemetry/log.ts";
import type { Core } from "./open_core.ts";

/** What a gateway is administered by. */
export interface Administered {
  /** With the links that sign in, where there are pages. */
  readonly admin: AdminDeps;
  /** Who may come in by a secret. */
  readonly access: AdminAccess;
  /** Absent where the console is off. */
  readonly console: ConsoleHandler | undefined;
}

/** @param baseUrl Where callers reach the gateway; asked once it listens. */
export function openConsole(
  { admin: plain, consoleSecret: secret, dataDir, transport, server }: Pick<
    Core,
    "admin" | "consoleSecret" | "dataDir" | "transport" | "server"
  >,
  { console = "on", adminKey, oidc: settings, resolveSecret, log }: {
    readonly console?: "on" | "off" | undefined;
    readonly adminKey: string | undefined;
    /** Whose people may sign in besides; absent for nobody. */
    readonly oidc?: OidcSettings | undefined;
    readonly resolveSecret: (reference: string) => SecretResult;
    readonly log: Pick<Log, "warn">;
  },
  baseUrl: () => string,
): Administered {
  const access = new AdminAccess({ adminKey, tokens: plain.tokens, clock: plain.clock });
  if (console === "off") return { admin: plain, access, console: undefined };
  const links = new ConsoleLinks(server?.signIns ?? linksHere(plain.clock));
  const admin = { ...plain, console: { links, baseUrl, oidcIssuer: settings?.issuer } };
  const kept: EndedSessionsOptions = {
    dataDir,
    clock: plain.clock,
    onTrouble: (what, error) => log.warn(what, { message: String(error) }),
  };
  const ended = server === undefined
    ? keepEndedSessions(kept)
    : endedAtServer(server.signIns, kept);
  const oidc = settings && {
    settings,
    transport,
    resolveSecret,
    onFault: (message: string) => log.warn("oidc_sign_in_failed", { message }),
  };
  const pages = onDemand(async () => {
    const { createConsole } = await import("../console/console_app.tsx");
    return createConsole({
      ...{ admin, access, links, secret, ended, adminKey, baseUrl },
      ...(oidc && { oidc }),
    });
  });
  return { admin, access, console: async (request, about) => (await pages())(request, about) };
}
