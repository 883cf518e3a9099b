/**
 * The lock of a data dir: one process at a time has the database. The kernel
 * holds it (flock), so it ends with the process, however that ends.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import { refuseForeignDataDir } from "./data_dir_owner.ts";
import { type LockOwner, readLockOwner } from "./lock_owner.ts";

/** How a lock is taken. */
export interface LockOptions {
  readonly owner: LockOwner;
  /** How long to wait for a command that is about to end; a server is not waited for. */
  readonly patienceMs?: number;
}

/** A lock that is held. */
export interface DataDirLock {
  /** Gives the data dir free; safe to call more than once. */
  release(): void;
}

/** An uncontended lock is granted within a millisecond; this is for a busy machine. */
const UNCONTENDED_MS = 300;
const POLL_MS = 25;
const PATIENCE_MS = 5_000;

/**
 * Takes the lock of a data dir, creating the folder (0700) and `<dataDir>/lock`
 * (0600) where they are missing.
 *
 * @throws {GatewayError} `conflict`, naming the process that has it, or what is
 * wrong with the folder.
 * @throws {StorageOpenError} When root may not write there: see `refuseForeignDataDir`.
 */
export async function lockDataDir(
  dataDir: string,
  { owner, patienceMs = PATIENCE_MS }: LockOptions,
): Promise<DataDirLock> {
  refuseForeignDataDir(dataDir);
  const file = openLockFile(dataDir);
  try {
    const attempt = startAttempt(file);
    if (!(await attempt.now()) && !(await outlasts(attempt, dataDir, patienceMs))) {
      throw locked(dataDir, readLockOwner(dataDir));
    }
    writeOwner(file, JSON.stringify(owner));
  } catch (error) {
    file.close();
    throw error;
  }
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      // The file stays: a second process may be waiting on this very inode.
      writeOwner(file, "");
      file.close();
    },
  };
}

function openLockFile(dataDir: string): Deno.FsFile {
  try {
    Deno.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return openOwnFile(`${dataDir}/lock`);
  } catch (cause) {
    const isFile = cause instanceof Deno.errors.AlreadyExists ||
      cause instanceof Deno.errors.NotADirectory;
    const reason = isFile
      ? "it is, or lies in, something that is no folder"
      : (cause as Error).message;
    throw new GatewayError(
      "conflict",
      `Cannot use the data dir ${dataDir}: ${reason}. Choose another one with --data-dir, or make this one writable`,
      { cause },
    );
  }
}

/**
 * A private file that is there under its own name. The lock is emptied and written: whoever
 * lays a link in its place chooses no file of somebody else's for that.
 */
function openOwnFile(path: string): Deno.FsFile {
  refuseLink(path);
  const file = Deno.openSync(path, { create: true, read: true, write: true, mode: 0o600 });
  try {
    const opened = file.statSync();
    const named = Deno.lstatSync(path);
    if (named.ino !== opened.ino || named.dev !== opened.dev || !opened.isFile) {
      throw new Error(`${path} is not the file that was opened under its name`);
    }
    if ((opened.mode! & 0o777) !== 0o600) Deno.chmodSync(path, 0o600);
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** A link to nothing would be followed, and the file made where it leads. */
function refuseLink(path: string): void {
  try {
    if (!Deno.lstatSync(path).isSymlink) return;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  throw new Error(`${path} is a link, which tollgate has not made: remove it`);
}

/** Whether a process has the lock now. Asks the kernel, which knows better than the file's text. */
export async function isDataDirLocked(dataDir: string): Promise<boolean> {
  const path = `${dataDir}/lock`;
  let file: Deno.FsFile;
  try {
    // Nothing else can be the lock, and opening a pipe would wait for somebody.
    if (!Deno.lstatSync(path).isFile) return false;
    file = Deno.openSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
  try {
    return !await startAttempt(file).now();
  } finally {
    file.close();
  }
}

/** Waits for commands; not for a server, also when it takes the lock before our turn. */
async function outlasts(attempt: Attempt, dataDir: string, patienceMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += POLL_MS) {
    if (readLockOwner(dataDir)?.kind === "server") return false;
    if (await attempt.within(POLL_MS)) return true;
  }
  return false;
}

interface Attempt {
  /** Whether the lock is free. */
  now(): Promise<boolean>;
  /** Whether the lock is granted within that time. */
  within(ms: number): Promise<boolean>;
}

/**
 * Tries without blocking where the runtime can. Deno before 2.9 only has a lock
 * that waits: there one request stays pending from the first try on.
 */
function startAttempt(file: Deno.FsFile): Attempt {
  if (typeof file.tryLockSync === "function") {
    return {
      now: () => Promise.resolve(file.tryLockSync(true)),
      within: async (ms) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        return file.tryLockSync(true);
      },
    };
  }
  const granted = file.lock(true).then(() => true);
  return {
    now: () => orFalseAfter(granted, UNCONTENDED_MS),
    within: (ms) => orFalseAfter(granted, ms),
  };
}

async function orFalseAfter(granted: Promise<boolean>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([granted, late]);
  } finally {
    clearTimeout(timer);
  }
}

function writeOwner(file: Deno.FsFile, text: string): void {
  file.truncateSync(0);
  file.seekSync(0, Deno.SeekMode.Start);
  file.writeSync(new TextEncoder().encode(text));
}

function locked(dataDir: string, holder: LockOwner | undefined): GatewayError {
  if (holder === undefined) {
    return new GatewayError(
      "conflict",
      `Cannot use the data dir ${dataDir}: another process has it and has not said which. Try again in a moment`,
    );
  }
  const next = holder.kind === "server"
    ? "Stop that server first, or choose another --data-dir"
    : "Try again when that command has ended";
  return new GatewayError(
    "conflict",
    `Cannot use the data dir ${dataDir}: a tollgate ${
      holder.kind === "server" ? "server" : "command"
    } with process id ${holder.pid} has it. ${next}`,
  );
}
