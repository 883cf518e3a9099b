/**
 * Commands that meet a server between its lock and its socket.
 *
 * @module
 */

import assert from "node:assert/strict";
import { listen } from "../../src/http/listener.ts";
import { lockDataDir } from "../../src/storage/ownership/data_dir_lock.ts";
import { runCommand, withDataDir } from "./run_in_process.ts";

Deno.test("a command waits for the server that has just taken the data dir", async () => {
  await withDataDir(async (dataDir) => {
    const socket = `${dataDir}/control.sock`;
    const lock = await lockDataDir(dataDir, {
      owner: { pid: 4242, socket, kind: "server" },
    });
    const command = runCommand(["models", "list", "--json", "--data-dir", dataDir]);
    // Long enough that the command has met the lock; it passes however long that takes.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const model = { kind: "chat", aliases: [], manual_selection: true, currency: "USD" };
    const row = {
      id: "seen",
      ...model,
      routes: 0,
      usable_routes: 0,
      from_price: null,
      from_price_per: null,
    };
    const page = {
      object: "list",
      data: [row],
      first_id: "seen",
      last_id: "seen",
      has_more: false,
    };
    const server = listen(() => Promise.resolve(Response.json(page)), {
      unixPath: socket,
    });
    try {
      const { code, stdout, stderr } = await command;
      assert.equal(code, 0, stderr);
      assert.match(stdout, /seen/);
      assert.equal(stderr, "");
    } finally {
      server.close();
      lock.release();
    }
  });
});
