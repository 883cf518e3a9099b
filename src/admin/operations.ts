/**
 * The one list of administrative operations.
 *
 * @module
 */

import { listAlerts, testAlerts } from "./alerts.ts";
import { archiveCalls, giveUpArchive, listArchives } from "./archives/archive_calls.ts";
import { restoreArchives } from "./archives/restore_archives.ts";
import { auditOperation } from "./audit.ts";
import { createBackup, listBackups } from "./backups.ts";
import { CONTENT_READ, forgetPrompts, showContent } from "./call_content.ts";
import { showCall } from "./calls.ts";
import { listCalls } from "./list_calls.ts";
import { linkConsole } from "./console_link.ts";
import { applyCatalogue } from "./catalogue/apply_catalogue.ts";
import { creditProject } from "./accounts/credit_project.ts";
import { explainRoutes } from "./explain.ts";
import {
  createKey,
  deleteKey,
  disableKey,
  enableKey,
  findKeys,
  listKeys,
  resumeKey,
  setKey,
  showKey,
} from "./accounts/keys.ts";
import { endGrace, rotateKey } from "./accounts/rotate_key.ts";
import { deleteModel, listModels, setModel, showModel } from "./catalogue/models.ts";
import type { Operation } from "./base/operation.ts";
import {
  createProject,
  disableProject,
  enableProject,
  listProjects,
  resumeProject,
  setProject,
  showProject,
} from "./accounts/projects.ts";
import {
  deleteProvider,
  listProviders,
  setProvider,
  showProvider,
  testProviders,
} from "./catalogue/providers.ts";
import { deleteRoute, listRoutes, setRoute, showRoute } from "./catalogue/routes.ts";
import { disableRoute, enableRoute, maintainRoute } from "./catalogue/route_switches.ts";
import { SIGN_IN, SIGN_IN_REFUSED } from "./base/sign_in_acts.ts";
import { FIRST_RUN } from "./make_first_run.ts";
import { exportCatalogue } from "./catalogue/export_catalogue.ts";
import { listUpstreamModels } from "./vendors/list_models.ts";
import { addProvider } from "./vendors/add_provider.ts";
import { listPrices, updatePrices } from "./vendors/prices.ts";
import { cancelJob, listJobs, showJob } from "./jobs/jobs.ts";
import { diagnoseServer, showSettings } from "./process.ts";
import { listNodes } from "./nodes.ts";
import { showSystem } from "./system.ts";
import { reportLatency } from "./latency.ts";
import { reportRefusals } from "./refusals.ts";
import { readRecentUsage } from "./recent_usage.ts";
import { reportUsage } from "./usage.ts";
import { verifyLedger } from "./ledger_check/check_ledger.ts";
import { cancelBatch, listBatches, showBatch } from "./batches.ts";
import { deleteFile, listFiles, showFile } from "./files.ts";
import { moveVideo, pauseVideos, resumeVideos, showQueue } from "./video_queue.ts";
import { deleteVideo, listVideos, retryVideo, showVideo } from "./videos.ts";
import { createToken, listTokens, revokeToken } from "./accounts/tokens.ts";
import { rotateWebhookSecret } from "./accounts/webhook_secret.ts";
import { listWebhooks, resendWebhook } from "./webhooks.ts";

/** Fixed paths come before those with a name in the same place. */
const BESIDES_AUDIT: readonly Operation[] = [
  applyCatalogue,
  exportCatalogue,
  createProject,
  listProjects,
  showProject,
  setProject,
  creditProject,
  enableProject,
  disableProject,
  resumeProject,
  rotateWebhookSecret,
  forgetPrompts,
  createKey,
  listKeys,
  findKeys,
  showKey,
  setKey,
  enableKey,
  disableKey,
  rotateKey,
  endGrace,
  resumeKey,
  deleteKey,
  createToken,
  listTokens,
  revokeToken,
  listProviders,
  showProvider,
  setProvider,
  deleteProvider,
  addProvider,
  listUpstreamModels,
  testProviders,
  listPrices,
  updatePrices,
  listModels,
  showModel,
  setModel,
  deleteModel,
  listRoutes,
  showRoute,
  setRoute,
  deleteRoute,
  enableRoute,
  disableRoute,
  maintainRoute,
  explainRoutes,
  listBatches,
  showBatch,
  cancelBatch,
  listFiles,
  showFile,
  deleteFile,
  listVideos,
  showVideo,
  showQueue,
  pauseVideos,
  resumeVideos,
  moveVideo,
  retryVideo,
  deleteVideo,
  listWebhooks,
  resendWebhook,
  reportUsage,
  readRecentUsage,
  reportRefusals,
  reportLatency,
  archiveCalls,
  listArchives,
  giveUpArchive,
  restoreArchives,
  listCalls,
  showCall,
  showContent,
  verifyLedger,
  createBackup,
  listBackups,
  listJobs,
  showJob,
  cancelJob,
  listAlerts,
  testAlerts,
  showSystem,
  listNodes,
  showSettings,
  diagnoseServer,
  linkConsole,
];

/** The audit log knows what every other operation changes, and what an empty data dir begins with. */
export const listAudit = auditOperation([
  ...BESIDES_AUDIT,
  FIRST_RUN,
  SIGN_IN,
  SIGN_IN_REFUSED,
  CONTENT_READ,
]);

/** Every operation. */
export const OPERATIONS: readonly Operation[] = [
  ...BESIDES_AUDIT,
  listAudit,
];
