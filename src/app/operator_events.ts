/**
 * What happens, told to the log, and counted where metrics are on.
 *
 * @module
 */

import { formatAmount } from "../domain/money.ts";
import type { EngineDeps } from "../gateway/call_engine.ts";
import type { Log } from "../telemetry/log.ts";
import { logNotKept } from "./log_kept.ts";
import type { CoreOptions } from "./core_options.ts";
import type { Watching } from "./watching.ts";

type CoreEvents = Pick<
  CoreOptions,
  | "onCommit"
  | "onFilmCall"
  | "onKeyRefused"
  | "onTrouble"
  | "onPause"
  | "onKeptFull"
  | "onNodesEnded"
  | "onTablesInUse"
  | "onChangesTrouble"
  | "onSharesTrouble"
  | "onBatchTrouble"
  | "onArchiveDamage"
  | "onUploadTrouble"
  | "onVideoTrouble"
  | "tracing"
>;

/** What the core tells of. Nobody hears of single writes where nobody counts them. */
export function coreEvents(log: Log, { measuring, tracing, alerting }: Watching): CoreEvents {
  const metrics = measuring?.metrics;
  return {
    tracing,
    onCommit: metrics && ((milliseconds, entries) => metrics.committed(milliseconds, entries)),
    onFilmCall: measuring && ((call) => measuring.filmCall(call)),
    onKeyRefused({ provider, key, failure, status, fault }) {
      log.warn("key_refused", { provider, key, failure, status, fault });
      metrics?.keyRefusals.add(provider);
    },
    onTrouble(message, callId) {
      log.error("ledger_trouble", { message, call_id: callId });
      metrics?.ledgerTrouble.add();
      alerting.alerts?.entryRefused();
    },
    onPause({ scope, id }, { spentE8, usualE8, mostE8 }) {
      log.warn("spend_paused", {
        [scope]: id,
        spent_in_hour: formatAmount(spentE8),
        usual_hour: formatAmount(usualE8),
        most: formatAmount(mostE8),
        resume: `tollgate ${scope}s resume ${id}`,
      });
      metrics?.pauses.add(scope);
    },
    onKeptFull(project, why, cause) {
      logNotKept(log, { project, why, cause });
      metrics?.notKept.add(why);
    },
    onNodesEnded(sessions) {
      log.warn("node_ended", {
        sessions: sessions.join(", "),
        message:
          "Another node was silent for so long that it has ended: this one goes on with what it left",
      });
    },
    onTablesInUse: (message) => log.warn("tables_in_use", { message }),
    onChangesTrouble: (error) => log.error("changes_not_read", { error: String(error) }),
    onSharesTrouble: (error) => log.error("limits_not_shared", { error: String(error) }),
    onBatchTrouble: (error) => log.error("batch_trouble", { error: String(error) }),
    onArchiveDamage: (file, damage) => log.error("archive_damaged", { file, message: damage }),
    onUploadTrouble: (error) => log.error("upload_left", { error: String(error) }),
    onVideoTrouble: (what, error) => log.error(what, { error: String(error) }),
  };
}

/** What calls tell of. */
export function callEvents(
  log: Log,
  { measuring, tracing, alerting: { errors } }: Watching,
): Pick<EngineDeps, "onCall" | "onAttemptFailed" | "traceCall"> {
  const metrics = measuring?.metrics;
  return {
    traceCall: tracing && ((call) => tracing.tracer.trace(call)),
    onCall: metrics === undefined
      ? (record) => {
        errors.add(record.status);
        log.call(record);
      }
      : (record) => {
        errors.add(record.status);
        log.call(record);
        metrics.call(record);
      },
    onAttemptFailed(attempt) {
      const { requestId, route, error, message } = attempt;
      log.warn("attempt_failed", {
        request_id: requestId,
        model: route.modelId,
        provider: route.providerId,
        route: route.id,
        failure: error.failure,
        key: error.key,
        status: error.status,
        message,
        cause: error.cause === undefined ? undefined : String(error.cause),
      });
      measuring?.attemptFailed(attempt);
    },
  };
}
