/**
 * Waits for what ends a server, and listens to signals meanwhile.
 *
 * @module
 */

import type { LifeSigns, Log, RunningGateway } from "../../app/gateway.ts";
import { EXIT_FAILURE } from "../base/failure.ts";
import type { Terminal } from "../base/terminal.ts";
import { stopWords } from "./serving_words.ts";

/** A server to wait for. */
export interface Waited {
  readonly gateway: Pick<RunningGateway, "stop" | "reload" | "openCalls" | "openVideos" | "failed">;
  readonly log: Log;
  readonly life: Pick<LifeSigns, "reloading" | "reloaded" | "stopping" | "end">;
  /** How long calls under way may take to end, milliseconds. */
  readonly drainTimeoutMs: number;
}

/** The shell's convention: 128 and the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

type StopSignal = keyof typeof EXIT_CODES;

/**
 * Resolves with the exit code: 0 after a signal and a complete stop, 1 when the
 * gateway cannot go on. A second signal ends the process at once.
 */
export async function untilStopped(waited: Waited, terminal: Terminal): Promise<number> {
  const { gateway, log, life } = waited;
  const { promise: signalled, resolve } = Promise.withResolvers<StopSignal>();
  let isStopping = false;
  function onStop(signal: StopSignal): void {
    if (isStopping) terminal.exit(EXIT_CODES[signal]);
    isStopping = true;
    resolve(signal);
  }
  const onInterrupt = () => onStop("SIGINT");
  const onTerminate = () => onStop("SIGTERM");
  const onHangUp = () => void reload(waited);
  const onBug = (event: ErrorEvent | PromiseRejectionEvent) => {
    // A defect in one call must not end all the others; the operator hears of it.
    event.preventDefault();
    const cause: unknown = event instanceof ErrorEvent ? event.error : event.reason;
    log.error("unhandled_error", {
      message: String(cause),
      stack: cause instanceof Error ? cause.stack : undefined,
    });
  };
  globalThis.addEventListener("error", onBug);
  globalThis.addEventListener("unhandledrejection", onBug);
  Deno.addSignalListener("SIGINT", onInterrupt);
  Deno.addSignalListener("SIGTERM", onTerminate);
  Deno.addSignalListener("SIGHUP", onHangUp);
  try {
    await Promise.race([signalled, gateway.failed]);
    const words = stopWords({ calls: gateway.openCalls(), films: gateway.openVideos() });
    life.stopping(words, waited.drainTimeoutMs);
    terminal.err(`${words}\n`);
    await gateway.stop();
    return 0;
  } catch (error) {
    log.error("stopped", { message: error instanceof Error ? error.message : String(error) });
    return EXIT_FAILURE;
  } finally {
    life.end();
    await log.flush();
    globalThis.removeEventListener("error", onBug);
    globalThis.removeEventListener("unhandledrejection", onBug);
    Deno.removeSignalListener("SIGINT", onInterrupt);
    Deno.removeSignalListener("SIGTERM", onTerminate);
    Deno.removeSignalListener("SIGHUP", onHangUp);
  }
}

/** The old catalogue stays when the new one is wrong, and the log says what is. */
async function reload({ gateway, log, life }: Waited): Promise<void> {
  life.reloading();
  try {
    await gateway.reload();
    life.reloaded(undefined);
  } catch (error) {
    life.reloaded("the catalogue file was refused, the log says why");
    log.error("catalogue_refused", {
      message: error instanceof Error ? error.message : String(error),
    });
  }
}
