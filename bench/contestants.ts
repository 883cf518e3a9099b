/**
 * What is compared: the pass-through, the executable made before if there is one, and the one of
 * now, each in front of the same upstream.
 *
 * @module
 */

import type { BenchRun } from "./bench_run.ts";
import type { Command, Server } from "./child_process.ts";
import {
  type DataDir,
  makeDataDir,
  SMALL_CATALOGUE,
  startGateway,
  startPassThrough,
} from "./servers.ts";

/** How rows of tables call them. */
export type ContestantName = "pass-through" | "before" | "now";

/** A gateway that is not started yet, with a data dir of its own. */
export interface IdleGateway {
  readonly name: Exclude<ContestantName, "pass-through">;
  readonly command: Command;
  readonly dataDir: DataDir;
}

/** One that is, or the pass-through. */
export interface Contestant {
  readonly name: ContestantName;
  readonly server: Server;
  readonly key: string;
}

/** Those that run. */
export interface Contestants extends AsyncDisposable {
  readonly all: readonly Contestant[];
}

/** The executable made before, where there is one, and that of now: on new, equal data dirs. */
export async function prepareGateways(run: BenchRun): Promise<readonly IdleGateway[]> {
  const { compared, upstream, folder: parent } = run;
  const folder = await Deno.makeTempDir({ dir: parent });
  const gateways: IdleGateway[] = [];
  for (const [name, command] of [["before", compared.before], ["now", compared.gateway]] as const) {
    if (command === undefined) continue;
    const options = { path: `${folder}/${name}`, upstream, size: SMALL_CATALOGUE } as const;
    gateways.push({
      name,
      command,
      dataDir: await makeDataDir(command, { ...options, isPlain: true }),
    });
  }
  return gateways;
}

/** Starts both, and the pass-through before them unless it is not wanted. */
export async function startContestants(
  run: BenchRun,
  { withPassThrough = true }: { readonly withPassThrough?: boolean } = {},
): Promise<Contestants> {
  const { compared, upstream, folder } = run;
  const gateways = await prepareGateways(run);
  await using stack = new AsyncDisposableStack();
  const all: Contestant[] = [];
  if (withPassThrough) {
    const server = await startPassThrough(compared.passThrough, { folder, upstream });
    all.push({ name: "pass-through", server: stack.use(server), key: "none" });
  }
  for (const { name, command, dataDir: { path, key } } of gateways) {
    all.push({ name, server: stack.use(await startGateway(command, path)), key });
  }
  const kept = stack.move();
  return { all, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
