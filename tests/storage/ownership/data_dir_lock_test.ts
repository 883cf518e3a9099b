/**
 * One process at a time has a data dir.
 *
 * @module
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { GatewayError } from "../../../src/errors.ts";
import { lockDataDir } from "../../../src/storage/ownership/data_dir_lock.ts";
import { readLockOwner } from "../../../src/storage/ownership/lock_owner.ts";

const MODULE = new URL("../../../src/storage/ownership/data_dir_lock.ts", import.meta.url).href;
const CONFIG = fileURLToPath(new URL("../../../deno.json", import.meta.url));

async function inTempDir(run: (dir: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-lock-" });
  try {
    await run(`${folder}/data`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Another process that holds the lock until its stdin ends. */
async function lockElsewhere(dir: string, kind: "server" | "cli"): Promise<Deno.ChildProcess> {
  const code = `
    import { lockDataDir } from ${JSON.stringify(MODULE)};
    const lock = await lockDataDir(Deno.args[0], {
      owner: { pid: Deno.pid, socket: "/run/x.sock", kind: Deno.args[1] },
    });
    console.log("locked");
    for await (const _ of Deno.stdin.readable);
    lock.release();
  `;
  // The code comes from a file, as stdin is the signal to end.
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(file, code);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "-A", `--config=${CONFIG}`, file, dir, kind],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  assert.match(new TextDecoder().decode(value), /locked/);
  await reader.cancel();
  await Deno.remove(file);
  return child;
}

Deno.test("lockDataDir() makes private files and says who holds the lock", async () => {
  await inTempDir(async (dir) => {
    const owner = { pid: Deno.pid, socket: `${dir}/control.sock`, kind: "server" } as const;
    const lock = await lockDataDir(dir, { owner });
    assert.equal((await Deno.stat(dir)).mode! & 0o777, 0o700);
    assert.equal((await Deno.stat(`${dir}/lock`)).mode! & 0o777, 0o600);
    assert.deepEqual(readLockOwner(dir), owner);
    lock.release();
    lock.release();
    assert.equal(readLockOwner(dir), undefined);
    (await lockDataDir(dir, { owner })).release();
  });
});

Deno.test("lockDataDir() refuses while a server has the data dir, naming its process", async () => {
  await inTempDir(async (dir) => {
    const child = await lockElsewhere(dir, "server");
    await assert.rejects(
      lockDataDir(dir, { owner: { pid: 1, socket: undefined, kind: "server" } }),
      (error: GatewayError) => {
        assert.equal(error.error, "conflict");
        assert.match(error.message, new RegExp(`server with process id ${child.pid} has it`));
        return true;
      },
    );
    assert.equal(readLockOwner(dir)?.pid, child.pid);
    await child.stdin.close();
    await child.status;
  });
});

Deno.test("lockDataDir() waits for a command that is about to end", async () => {
  await inTempDir(async (dir) => {
    const child = await lockElsewhere(dir, "cli");
    const owner = { pid: Deno.pid, socket: undefined, kind: "cli" } as const;
    const [lock] = await Promise.all([
      lockDataDir(dir, { owner, patienceMs: 60_000 }),
      child.stdin.close(),
    ]);
    assert.deepEqual(readLockOwner(dir), owner);
    lock.release();
    await child.status;
  });
});

Deno.test("lockDataDir() gives up on a command that does not end", async () => {
  await inTempDir(async (dir) => {
    const child = await lockElsewhere(dir, "cli");
    await assert.rejects(
      lockDataDir(dir, {
        owner: { pid: 1, socket: undefined, kind: "cli" },
        patienceMs: 30,
      }),
      new RegExp(`command with process id ${child.pid}`),
    );
    await child.stdin.close();
    await child.status;
  });
});

Deno.test("a killed process leaves no lock behind", async () => {
  await inTempDir(async (dir) => {
    const child = await lockElsewhere(dir, "server");
    child.kill("SIGKILL");
    await child.status;
    await child.stdin.close().catch(() => undefined);
    assert.equal(readLockOwner(dir)?.pid, child.pid, "its file still names it");
    const owner = { pid: Deno.pid, socket: undefined, kind: "server" } as const;
    const lock = await lockDataDir(dir, { owner });
    assert.equal(readLockOwner(dir)?.pid, Deno.pid);
    lock.release();
  });
});

Deno.test("a folder that cannot be made is named, with what to do", async () => {
  await inTempDir(async (dir) => {
    await Deno.writeTextFile(dir, "a file");
    await assert.rejects(
      lockDataDir(`${dir}/inside`, { owner: { pid: 1, socket: undefined, kind: "cli" } }),
      /Cannot use the data dir .*\/inside: it is, or lies in, something that is no folder\. Choose another one with --data-dir/,
    );
    await assert.rejects(
      lockDataDir(dir, { owner: { pid: 1, socket: undefined, kind: "cli" } }),
      /is no folder\. Choose another one/,
    );
  });
});

Deno.test("lockDataDir() waits no longer when a server was faster", async () => {
  await inTempDir(async (dir) => {
    const holder = await lockDataDir(dir, {
      owner: { pid: 1, socket: undefined, kind: "cli" },
    });
    const waiting = lockDataDir(dir, {
      owner: { pid: 2, socket: undefined, kind: "cli" },
      patienceMs: 3_600_000,
    }).catch((error) => error);
    // The command has ended, and a server has the lock in its place.
    await Deno.writeTextFile(
      `${dir}/lock`,
      JSON.stringify({ pid: 4242, socket: "/run/x.sock", kind: "server" }),
    );
    const error = await waiting;
    assert.ok(error instanceof GatewayError);
    assert.match(error.message, /server with process id 4242/);
    holder.release();
  });
});
