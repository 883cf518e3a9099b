/**
 * A Worker that connects and resets at once, for a test whose own thread stands still meanwhile: so
 * the connections are reset before anybody can have accepted them.
 *
 * @module
 */

import { once } from "node:events";
import { connect } from "node:net";
import { parentPort } from "node:worker_threads";

/** What the Worker is told, once it has said that it runs. It sets the first entry of `done` when all are reset, and notifies. */
export interface ResetOrder {
  readonly port: number;
  readonly connections: number;
  readonly done: Int32Array<SharedArrayBuffer>;
}

parentPort!.on("message", async ({ port, connections, done }: ResetOrder) => {
  for (let count = 0; count < connections; count++) {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    const closed = once(socket, "close");
    socket.resetAndDestroy();
    await closed;
  }
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
});
parentPort!.postMessage("started");
