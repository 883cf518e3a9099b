/**
 * What is examined, and what the examination may ask.
 *
 * @module
 */

import type { Finding } from "../../admin/base/doctor_finding.ts";
import type { ServerAnswers, ServerSilence } from "../../admin/process.ts";
import type { ProviderTestRow } from "../../admin/catalogue/providers.ts";
import type { DatabaseSettings } from "../../config/process_settings.ts";
import type { SecretResult } from "../../config/secrets.ts";
import type { Clock } from "../../domain/clock.ts";
import type { DatabaseDiagnosis } from "../../storage/ports/maintenance.ts";
import type { FilmBucketOptions } from "../films/film_bucket.ts";

/** A server that answers on its control socket. */
export interface AskedServer {
  readonly pid: number;
  /** `undefined` when it does not say them. */
  readonly answers: ServerAnswers | undefined;
  /** Why it does not; absent where it does. */
  readonly silence?: ServerSilence | undefined;
  /**
   * Has it look by itself, with its own settings; absent where its database is a file of the data dir,
   * and where it is itself who looks.
   */
  readonly diagnose?:
    | ((options: { readonly isOffline: boolean }) => Promise<readonly Finding[]>)
    | undefined;
  testProviders(): Promise<readonly ProviderTestRow[]>;
}

/** One data dir, with or without a server. */
export interface Patient {
  readonly dataDir: string;
  /** The server that has the database; a file of the data dir when absent. */
  readonly database?: DatabaseSettings | undefined;
  /**
   * What a look at that server has found, as `lookAhead()` begins it; absent: it is yet to be looked
   * at.
   */
  readonly looked?: DatabaseDiagnosis | Promise<DatabaseDiagnosis> | undefined;
  /** The bucket that has the films; the data dir does when absent. */
  readonly filmBucket?: FilmBucketOptions | undefined;
  /** `undefined` when none answers. */
  readonly server: AskedServer | undefined;
  /** This process's own view of a secret. */
  readonly resolveSecret: (reference: string) => SecretResult;
  /** What a server with this process's settings would leave free for the ledger. */
  readonly reserveBytes: number;
  /** Schemes whose upstream calls a proxy of the environment may apply to. */
  readonly proxied: { readonly http: boolean; readonly https: boolean };
  /** Whose people may sign in at the console; `undefined` for nobody's. */
  readonly oidcIssuer?: string | undefined;
  /** Whether no upstream may be asked. */
  readonly isOffline: boolean;
  readonly clock: Clock;
}
