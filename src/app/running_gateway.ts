/**
 * What a gateway is started with, and what it is once it takes calls.
 *
 * @module
 */

import type { AdminDeps } from "../admin/base/deps.ts";
import type { SettingView } from "../admin/base/shown_setting.ts";
import type { FirstRun } from "../admin/first_run.ts";
import type {
  AlertSettings,
  ArchiveSettings,
  BackupSettings,
  Settings,
} from "../config/process_settings.ts";
import type { ProxiedSchemes } from "../config/proxied_schemes.ts";
import type { KeptSecret, RereadSecrets, SecretResult } from "../config/secrets.ts";
import type { ListenerLimits } from "../http/listener/contract.ts";
import type { S3Access } from "../objects/s3_client.ts";
import type { Log } from "../telemetry/log.ts";

/** Settings whose absence says that there is nothing of the kind. */
type OptionalSettings =
  | "console"
  | "corsOrigins"
  | "database"
  | "dropCallsAfterMonths"
  | "filmBucket"
  | "trustedProxies"
  | "guard"
  | "metrics"
  | "oidc"
  | "otlp"
  | "threads"
  | "quickCalls";

type TakenSettings =
  & Omit<
    Settings,
    "logFormat" | "logLevel" | "connections" | "archives" | "alerts" | "backups" | OptionalSettings
  >
  & Partial<Pick<Settings, OptionalSettings>>;

/** What a gateway is started with; the process settings satisfy most of it. */
export interface GatewayOptions extends TakenSettings {
  readonly socketPath: string;
  readonly connections: Partial<ListenerLimits>;
  /** What is archived by itself; nothing when absent. */
  readonly archives?: ArchiveSettings;
  /** Who is told what goes wrong; nobody when absent. */
  readonly alerts?: AlertSettings;
  /** What is backed up by itself; nothing when absent. */
  readonly backups?: BackupSettings;
  /** Who asks buckets, and where they are. */
  readonly s3?: S3Access;
  readonly resolveSecret: (reference: string) => SecretResult;
  /** Reads the files behind secret references again. */
  readonly rereadSecrets?: () => RereadSecrets;
  /** Secrets whose last value stays in use, as their file cannot be read. */
  readonly keptSecrets?: () => readonly KeptSecret[];
  /** Schemes whose upstream calls a proxy of the environment may apply to; none when absent. */
  readonly proxied?: ProxiedSchemes;
  readonly log: Log;
  /** Every setting as it is shown, with where it comes from; absent: nobody asks. */
  readonly shownSettings?: readonly SettingView[];
}

/** A gateway that takes calls. */
export interface RunningGateway {
  /** Without `/v1`. */
  readonly baseUrl: string;
  readonly dataDir: string;
  /** Where metrics are told, if they are. */
  readonly metricsUrl: string | undefined;
  /** The live state, for administration in this process. */
  readonly admin: AdminDeps;
  /** What was made, when the data dir was empty. */
  readonly firstRun: FirstRun | undefined;
  /** Calls that have not ended. */
  readonly openCalls: () => number;
  /** Films that are not finished: those go on at the next start. */
  readonly openVideos: () => number;
  /** Refuses new calls, lets those under way end (or ends them when time is up), writes everything. */
  stop(): Promise<void>;
  /** Reads secret files and the catalogue file again; what cannot be read stays as it was. */
  reload(): Promise<void>;
  /** Resolves when the storage answers; rejects when it is closed. */
  storageAnswers(): Promise<void>;
  /** Rejects when the gateway cannot go on, because its storage is lost. */
  readonly failed: Promise<never>;
}
