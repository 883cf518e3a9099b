/**
 * The unit's file on this machine, or in a tree that is another one's root.
 *
 * @module
 */

import { dirname } from "node:path";
import { CommandFailure } from "../base/failure.ts";
import { isThere } from "../base/is_there.ts";
import { UNIT_MARK, UNIT_PATH } from "./unit_text.ts";
import type { Cli } from "../base/cli.ts";

const ENABLED_PATH = `${dirname(UNIT_PATH)}/multi-user.target.wants/tollgate.service`;

/** The unit in the tree below `root`, which is empty for this machine's own. */
export class UnitFile {
  readonly path: string;
  readonly #enabledPath: string;

  constructor(root: string) {
    this.path = `${root}${UNIT_PATH}`;
    this.#enabledPath = `${root}${ENABLED_PATH}`;
  }

  /** Whether the server starts with the machine. */
  get isEnabled(): boolean {
    return isThere(this.#enabledPath);
  }

  /**
   * The text, `undefined` when there is none.
   *
   * @throws {CommandFailure} When the unit there is somebody else's.
   */
  read(): string | undefined {
    if (!isThere(this.path)) return undefined;
    const text = Deno.readTextFileSync(this.path);
    if (text.startsWith(UNIT_MARK)) return text;
    throw new CommandFailure(
      `Cannot touch ${this.path}: tollgate has not written this unit. Move it away first`,
    );
  }

  /**
   * Checks that a unit can be written here; gives the text of the one that is there, if any.
   *
   * @throws {CommandFailure} When there is no systemd, or the unit there is somebody else's.
   */
  check(): string | undefined {
    const text = this.read();
    if (isThere(dirname(this.path))) return text;
    throw new CommandFailure(
      `Cannot install a service: there is no folder ${dirname(this.path)}, so no systemd here`,
    );
  }

  /**
   * Writes the text, all at once; says whether there was a unit, and another one.
   *
   * @throws {CommandFailure} As `check()` does.
   */
  write(text: string): "new" | "changed" | "unchanged" {
    const before = this.check();
    if (before === text) return "unchanged";
    replaceFile(this.path, {
      mode: 0o644,
      write: (path) => Deno.writeTextFileSync(path, text, { createNew: true }),
    });
    return before === undefined ? "new" : "changed";
  }

  /**
   * Removes it, and what starts it with the machine; says whether it was there.
   *
   * @throws {CommandFailure} When the unit there is somebody else's.
   */
  remove(): boolean {
    if (this.read() === undefined) return false;
    if (this.isEnabled) Deno.removeSync(this.#enabledPath);
    Deno.removeSync(this.path);
    return true;
  }
}

/** Puts a file in a place at once: whoever looks sees the old one or the new one. */
export function replaceFile(
  path: string,
  { mode, write }: { readonly mode: number; readonly write: (path: string) => void },
): void {
  const part = `${path}.new`;
  // Left by an install that broke off, or a link that leads elsewhere.
  if (isThere(part)) Deno.removeSync(part);
  write(part);
  Deno.chmodSync(part, mode);
  Deno.renameSync(part, path);
}

/** @throws {CommandFailure} Unless root runs this. */
export function needRoot(cli: Cli, verb: "install" | "uninstall"): void {
  if (cli.terminal.around.uid === 0) return;
  throw new CommandFailure(
    `Cannot ${verb} a service: only root may change ${UNIT_PATH}. Run this with sudo; ` +
      "`tollgate service print` shows the unit to anybody",
  );
}
