/**
 * Starts a gateway: opens its data dir, then loads what serves it.
 *
 * @module
 */

import { bucketOf } from "./film_place.ts";
import { openCore } from "./open_core.ts";
import { bookLate } from "./book_late.ts";
import { coreEvents } from "./operator_events.ts";
import type { GatewayOptions, RunningGateway } from "./running_gateway.ts";
import type { CallsEnd } from "./start_server.ts";
import { SessionEnded } from "../storage/ports/session_lost.ts";
import { openWatching } from "./watching.ts";
import { connectionsWithinDescriptors } from "../http/listener/free_descriptors.ts";

export { hasDatabase } from "./database/driver.ts";
export { type Core, openCore } from "./open_core.ts";
export type { CoreOptions } from "./core_options.ts";
export type { GatewayOptions, RunningGateway } from "./running_gateway.ts";
export type { FirstRun } from "../admin/first_run.ts";
export { createLog, type Log } from "../telemetry/log.ts";
export { LifeSigns } from "../telemetry/life_signs.ts";
export { NotifySocket } from "../telemetry/notify_socket.ts";
export { type LockOwner, readLockOwner } from "../storage/ownership/lock_owner.ts";
export { refuseForeignDataDir } from "../storage/ownership/data_dir_owner.ts";

/**
 * Opens the data dir and starts to listen.
 *
 * @throws {GatewayError} When another process has the data dir, or the catalogue file is wrong.
 * @throws {StorageOpenError} When the database cannot be used.
 * @throws {Deno.errors.AddrInUse} When the address is taken.
 */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { log } = options;
  // Counted before anything is open that another thread could want to open in that moment.
  const maxConnections = options.connections.maxConnections ??
    connectionsWithinDescriptors((options.threads ?? 1) > 1 ? options.threads : 0);
  const watching = await openWatching(options, log);
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  // A gateway that is being stopped has nobody who waits for this.
  failed.catch(() => {});
  const core = await openCore({
    dataDir: options.dataDir,
    ...{ database: options.database, filmBucket: bucketOf(options) },
    processKind: "server",
    socketPath: options.socketPath,
    catalogueOwner: options.catalog,
    ...{ guard: options.guard, disk: options.disk },
    resolveSecret: options.resolveSecret,
    proxied: options.proxied,
    ...coreEvents(log, watching),
    deletedVideoCharge: options.videos.deletedVideoCharge,
    onStorageLost,
  });
  let server: CallsEnd | undefined = undefined;
  function onStorageLost(error: Error): void {
    log.error("storage_lost", { message: error.message });
    if (!(error instanceof SessionEnded) || server === undefined) return fail(error);
    void bookLate(core, server, log).finally(() => fail(error));
  }
  const connections = maxConnections === undefined
    ? options.connections
    : { ...options.connections, maxConnections };
  const { startServer } = await import("./start_server.ts");
  const running = await startServer(core, { ...options, connections }, {
    ...watching,
    onStorageLost,
  });
  server = running;
  return { ...running, failed };
}
