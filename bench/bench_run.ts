/**
 * What every scenario gets and gives.
 *
 * @module
 */

import type { Server } from "./child_process.ts";
import type { Compared } from "./executables.ts";

/** How much is measured. */
export interface Sizes {
  /** Loads per server; the median counts. */
  readonly rounds: number;
  readonly secondsPerLoad: number;
  /** Loads of a second per server, of which the first quartile counts. */
  readonly slices: number;
  /** Before a slice counts: what is compiled and grown by then is so for good. */
  readonly warmUpCalls: number;
  /** Full load before rows are counted, plain and streamed each. */
  readonly accountingSeconds: number;
  /** Calls at which memory is looked at: growth is from the first to the second. */
  readonly memoryCalls: readonly [number, number];
  /** Streams that are open at one time, as far as descriptors allow. */
  readonly slowStreams: number;
  readonly starts: number;
  readonly large: LargeSizes;
  /** Rows of past usage that a report adds up. */
  readonly reportedRows: number;
  /** Calls of closed months that are archived. */
  readonly archivedCalls: number;
  /** Calls of a server's ledger that is sealed and checked. */
  readonly sealedCalls: number;
  /** Calls over which the console's pages are read. */
  readonly pagesOver: number;
  readonly videos: VideoSizes;
}

/** How much is measured of video tasks. */
export interface VideoSizes {
  /** Films rendered of each size, each of another prompt. */
  readonly prompts: number;
  /** Queued tasks, few and many, between which the cost of a claim is compared. */
  readonly queued: readonly [number, number];
  /** Downloads per load. */
  readonly downloads: number;
}

/** What the large database holds. */
export interface LargeSizes {
  readonly keys: number;
  readonly models: number;
  readonly routesPerModel: number;
  readonly usageRows: number;
}

/** The measurement as a whole: what is compared, in front of which upstream, how much. */
export interface BenchRun {
  readonly compared: Compared;
  readonly upstream: Server;
  readonly sizes: Sizes;
  /** Where scenarios put their data dirs and logs. */
  readonly folder: string;
  readonly log: (line: string) => void;
}

/** A figure to reach: a limit that it must not exceed, or one that it must not fall short of. */
export type Target =
  & {
    readonly what: string;
    readonly unit: string;
    readonly measured: number;
    /** What would be better still. */
    readonly aim?: number;
    /** The same figure of an executable made before. */
    readonly before?: number;
  }
  & ({ readonly atMost: number } | { readonly atLeast: number });

/** One row of a printed table. */
export type Row = Readonly<Record<string, string | number>>;

/** What a scenario found. */
export interface Findings {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly targets: readonly Target[];
  /** What a reader must know to trust the figures. */
  readonly notes: readonly string[];
}

/** One part of the benchmark. */
export type Scenario = (run: BenchRun) => Promise<Findings>;
