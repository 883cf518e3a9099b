/**
 * What the HTTP surface works with, handed over by the composition root.
 *
 * @module
 */

import type { KeptRoom } from "../../accounts/kept_room.ts";
import type { KeyDirectory } from "../../accounts/key_directory.ts";
import type { Ledger } from "../../accounts/ledger.ts";
import type { SpendBook } from "../../accounts/spend_book.ts";
import type { AdminAccess } from "../../admin/base/access.ts";
import type { CatalogueHolder } from "../../catalog/snapshot.ts";
import type { Batches } from "../../batches/batches.ts";
import type { Clock } from "../../domain/clock.ts";
import type { RequestIds } from "../../domain/ids.ts";
import type { SessionId } from "../../domain/session.ts";
import type { Spool } from "../../files/spool.ts";
import type { Limiter } from "../../limits/limiter.ts";
import type { OpenTaskLimits } from "../../limits/open_tasks.ts";
import type { CallEngine } from "../../gateway/call_engine.ts";
import type { CountingDeps } from "../../gateway/count_tokens.ts";
import type { Responses } from "../../gateway/responses/responses.ts";
import type { RepeatedRequests } from "../../idempotency/repeated_requests.ts";
import type { CallStore, CheckpointStore } from "../../storage/ports/storage.ts";
import type {
  CreatedVideo,
  CreateVideoAnswer,
  CreateVideoRequest,
} from "../../videos/task/create_request.ts";
import type { KeptPrompts } from "../../prompts/kept_prompts.ts";
import type { UploadedFiles } from "../../uploads/uploaded_files.ts";
import type { VideoTasks } from "../../videos/video_tasks.ts";
import type { Guard } from "../guard/guard.ts";
import type { SharedBudget } from "../bodies/body_budget.ts";
import type { ClientAddress } from "../listener/trusted_proxies.ts";
import type { JsonLimits } from "../bodies/read_json.ts";
import type { RequestNote } from "./request_context.ts";
import type { VideoViewOptions } from "../schemas/video_view.ts";

/** Where metrics come from. */
export interface MetricsPage {
  /** All of them as they are now, and the media type of the text. */
  read(format: MetricsFormat): { readonly text: string; readonly type: string };
}

/** How metrics are written, by what a scraper asks for. */
export type MetricsFormat = "prometheus" | "openmetrics";

/** `/metrics`, and where it is. */
export interface MetricsAccess {
  readonly page: MetricsPage;
  /** Whether it is beside the API; else at an address of its own. */
  readonly isBesideApi: boolean;
  /** What it wants as bearer. */
  readonly token: string | undefined;
}

/** A request that did not become a metered call, for the log. */
export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Who asked, as {@linkcode ApiDeps.clientAddress} has it, or `unix`; `undefined` of what was no proper HTTP. */
  readonly address: string | undefined;
  readonly note: RequestNote;
  /** What went wrong inside, for the operator only. */
  readonly cause: unknown;
}

/** Whether keys, prices and limits are known to be what they were a moment ago. */
export interface CurrentConfiguration {
  readonly isCurrent: boolean;
  /**
   * Waits a little for it.
   *
   * @throws {GatewayError} `storage_away` when it is still not known.
   */
  whenCurrent(): Promise<void>;
}

/** Whether the gateway takes calls now, and if not, why. */
export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  /** What an operator should look at although calls are served. */
  readonly warnings: readonly string[];
  /** Absent where a file has the database. */
  readonly node: NodeReadiness | undefined;
}

/** How a process is doing that shares its database's server with others. */
export interface NodeReadiness {
  readonly session: SessionId;
  /** Processes that use it, this one too. */
  readonly nodes: number;
  /** Since the server has answered last. */
  readonly silentMs: number;
  /** For how long it has confirmed nothing of what is being written. */
  readonly unconfirmedMs: number;
  /** Since this process knew of every change of the configuration. */
  readonly changesAgeMs: number;
  /** Its clock before the server's. */
  readonly clockAheadMs: number;
}

/** What a call of a model is served with, wherever that is. */
export type CallDeps =
  & Pick<
    ApiDeps,
    | "guard"
    | "prompts"
    | "configuration"
    | "engine"
    | "limiter"
    | "catalogue"
    | "clock"
    | "bodies"
    | "jsonLimits"
  >
  & {
    readonly directory: Pick<KeyDirectory, "resolve">;
    readonly repeatedRequests: Pick<RepeatedRequests, "answer" | "stream">;
    readonly spool: Pick<Spool, "create">;
  };

export interface ApiDeps {
  /** Asked about requests and answers; absent: nobody is. */
  readonly guard?: Guard | undefined;
  /** Where what calls said is kept, of projects that have it so; absent: of none. */
  readonly prompts?: Pick<KeptPrompts, "keep" | "hold" | "release"> | undefined;
  /** Whether what other nodes have changed is known; absent: nobody else changes anything. */
  readonly configuration?: CurrentConfiguration | undefined;
  readonly engine: CallEngine;
  readonly counting: CountingDeps;
  readonly responses: Responses;
  readonly directory: KeyDirectory;
  readonly ledger: Ledger;
  readonly spending: Pick<SpendBook, "view">;
  readonly room: Pick<KeptRoom, "bytesOf" | "mostBytesOf">;
  readonly limiter: Pick<
    Limiter,
    "remaining" | "enter" | "enterWhenRoom" | "countWhenRoom" | "shortOf"
  >;
  readonly openTasks: Pick<OpenTaskLimits, "remaining">;
  readonly catalogue: CatalogueHolder;
  readonly calls: CallStore;
  /** What is archived of earlier calls. */
  readonly checkpoints: Pick<CheckpointStore, "list">;
  readonly ids: RequestIds;
  readonly clock: Clock;
  /** All bodies in flight, and answers that are kept in memory; its owners are projects. */
  readonly bodies: SharedBudget;
  readonly jsonLimits: Omit<JsonLimits, "budget">;
  /** Largest form, bytes. */
  readonly maxFormBytes: number;
  /** Where files go that come with a request. */
  readonly spool: Pick<Spool, "create">;
  readonly batches: Pick<Batches, "create" | "findOwn" | "page" | "cancel">;
  /** Files that are kept until they are deleted. */
  readonly uploads: UploadedFiles;
  /** Largest of them, bytes. */
  readonly maxUploadBytes: number;
  readonly videos: VideoTasks;
  /** @throws {GatewayError} */
  readonly createVideo: (
    request: CreateVideoRequest,
    answer: CreateVideoAnswer,
  ) => Promise<CreatedVideo>;
  readonly repeatedRequests: RepeatedRequests;
  /** What views of tasks depend on now. */
  readonly videoViews: () => VideoViewOptions;
  readonly readiness: () => Readiness;
  readonly onRequest: (record: RequestRecord) => void;
  /** Who asks, where proxies are trusted; absent: the peer. */
  readonly clientAddress?: ClientAddress | undefined;
  /** Reads which trace a request came with, by what is noted of it; absent: nothing is traced. */
  readonly onArrival?:
    | ((note: RequestNote, parent: string | null, state: string | null) => void)
    | undefined;
  /** `/metrics`; absent: there is none. */
  readonly metrics?: MetricsAccess | undefined;
  /** Who may come in at `/admin/v1` over TCP: nobody as long as there is nothing to come in with. */
  readonly access: AdminAccess;
  /** As bearer it opens `/metrics` beside the API too. */
  readonly adminKey: string | undefined;
}
