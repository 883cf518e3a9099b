/**
 * The console of a gateway that listens: its pages, and what administration knows of it.
 *
 * @module
 */

import { ConsoleLinks } from "../admin/base/console_links.ts";
import type { AdminDeps } from "../admin/base/deps.ts";
import { createConsole } from "../console/console_app.tsx";
import type { ConsoleHandler } from "../http/mount_console.ts";
import type { Core } from "./open_core.ts";

/** What a gateway is administered by. */
export interface Administered {
  /** With the links that sign in, where there are pages. */
  readonly admin: AdminDeps;
  /** Absent where the console is off. */
  readonly console: ConsoleHandler | undefined;
}

/** @param baseUrl Where callers reach the gateway; asked once it listens. */
export function openConsole(
  { admin: plain, consoleSecret: secret }: Pick<Core, "admin" | "consoleSecret">,
  { console = "on", adminKey }: {
    readonly console?: "on" | "off" | undefined;
    readonly adminKey: string | undefined;
  },
  baseUrl: () => string,
): Administered {
  if (console === "off") return { admin: plain, console: undefined };
  const links = new ConsoleLinks(plain.clock);
  const admin = { ...plain, console: { links, baseUrl } };
  return { admin, console: createConsole({ admin, links, secret, adminKey, baseUrl }) };
}
