/**
 * Where things are kept: the data dir, and the control socket's path in it.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { isAbsolute, resolve } from "node:path";
import type { Surroundings } from "./surroundings.ts";

/** The data dir and how it was chosen, for `config show` and the first lines. */
export interface DataDirChoice {
  /** Absolute. */
  readonly path: string;
  /** `$STATE_DIRECTORY`, `beside the executable`, `working folder`, `$XDG_DATA_HOME`, `home folder`. */
  readonly source: string;
}

/**
 * The data dir where none was set: `$STATE_DIRECTORY` (systemd's), else
 * `tollgate_data` beside the executable (from source: in the working folder) if
 * that is writable, else `$XDG_DATA_HOME/tollgate` (`~/.local/share/tollgate`).
 * `undefined` when there is no such place.
 */
export function defaultDataDir(around: Surroundings): DataDirChoice | undefined {
  // systemd gives several folders separated by colons when a unit has several.
  const state = around.env.STATE_DIRECTORY?.split(":")[0] ?? "";
  if (isAbsolute(state)) return { path: resolve(state), source: "$STATE_DIRECTORY" };

  const near = resolve(around.executableFolder ?? around.cwd, "tollgate_data");
  const folder = around.isDirectory(near) ? near : resolve(near, "..");
  if (around.isWritable(folder)) {
    const source = around.executableFolder === undefined
      ? "working folder"
      : "beside the executable";
    return { path: near, source };
  }

  // XDG Base Directory Specification: a relative path is invalid and ignored.
  const { XDG_DATA_HOME = "", HOME = "" } = around.env;
  if (isAbsolute(XDG_DATA_HOME)) {
    return { path: resolve(XDG_DATA_HOME, "tollgate"), source: "$XDG_DATA_HOME" };
  }
  if (isAbsolute(HOME)) {
    return { path: resolve(HOME, ".local/share/tollgate"), source: "home folder" };
  }
  return undefined;
}

/** A unix socket's path holds 108 bytes on Linux and 104 on macOS, with its final zero. */
const MAX_SOCKET_PATH_BYTES = 100;

/** Where the control socket is. */
export interface SocketPlace {
  readonly path: string;
  /** A folder besides the data dir that {@linkcode makePrivateFolder} must make first. */
  readonly privateFolder: string | undefined;
}

/**
 * `<data>/control.sock`; where that is too long for a socket, a name made of its
 * hash in `$XDG_RUNTIME_DIR`, else in a folder of ours in the temporary one.
 */
export function controlSocketPlace(dataDir: string, around: Surroundings): SocketPlace {
  const path = resolve(dataDir, "control.sock");
  if (fits(path)) return { path, privateFolder: undefined };
  const hash = createHash("sha256").update(resolve(dataDir)).digest("hex").slice(0, 32);
  const { XDG_RUNTIME_DIR: runtime = "", TMPDIR = "" } = around.env;
  const inRuntime = resolve(runtime || "/", `tollgate-${hash}.sock`);
  if (isAbsolute(runtime) && fits(inRuntime) && around.isDirectory(runtime)) {
    return { path: inRuntime, privateFolder: undefined };
  }
  const owner = around.uid ?? "user";
  for (const temporary of [TMPDIR, "/tmp"]) {
    const privateFolder = resolve(temporary || "/tmp", `tollgate-${owner}`);
    const candidate = resolve(privateFolder, `${hash}.sock`);
    if (fits(candidate)) return { path: candidate, privateFolder };
  }
  throw new RangeError(`Cannot place a control socket: no short enough folder for '${path}'`);
}

function fits(path: string): boolean {
  return new TextEncoder().encode(path).length <= MAX_SOCKET_PATH_BYTES;
}

/**
 * Makes a folder that only we can enter, in a place where anybody could have made it before us.
 *
 * @throws {Error} If it is there and is not ours, not a folder, or open to others.
 */
export async function makePrivateFolder(
  path: string,
  { uid }: { uid: number | undefined },
): Promise<void> {
  try {
    await Deno.mkdir(path, { mode: 0o700 });
    return;
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  const found = await Deno.lstat(path);
  const open = found.mode !== null && (found.mode & 0o077) !== 0;
  const foreign = uid !== undefined && found.uid !== null && found.uid !== uid;
  if (!found.isDirectory || open || foreign) {
    throw new Error(
      `Cannot use '${path}' as a private folder: it exists and is ` +
        (found.isDirectory ? "open to other users" : "no folder") +
        "; remove it, or use a shorter --data-dir",
    );
  }
}
