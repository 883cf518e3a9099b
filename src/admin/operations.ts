/**
 * The one list of administrative operations.
 *
 * @module
 */

import { archiveCalls } from "./archives/archive_calls.ts";
import { listAudit } from "./audit.ts";
import { createBackup } from "./backups.ts";
import { showCall } from "./calls.ts";
import { applyCatalogue } from "./catalogue/apply_catalogue.ts";
import { creditProject } from "./accounts/credit_project.ts";
import { explainRoutes } from "./explain.ts";
import { findKeys } from "./accounts/find_keys.ts";
import {
  createKey,
  deleteKey,
  disableKey,
  enableKey,
  listKeys,
  setKey,
  showKey,
} from "./accounts/keys.ts";
import { listArchives } from "./archives/list_archives.ts";
import { listModels } from "./catalogue/models.ts";
import type { Operation } from "./base/operation.ts";
import {
  createProject,
  disableProject,
  enableProject,
  listProjects,
  setProject,
  showProject,
} from "./accounts/projects.ts";
import { deleteModel, setModel, showModel } from "./catalogue/model_piece.ts";
import { deleteProvider, setProvider, showProvider } from "./catalogue/provider_piece.ts";
import { deleteRoute, setRoute, showRoute } from "./catalogue/route_piece.ts";
import { listProviders, testProviders } from "./catalogue/providers.ts";
import { resumeKey, resumeProject } from "./accounts/resume.ts";
import { disableRoute, enableRoute, listRoutes, maintainRoute } from "./catalogue/routes.ts";
import { showSystem } from "./system.ts";
import { reportUsage } from "./usage.ts";
import { verifyLedger } from "./ledger_check/verify_ledger.ts";
import { deleteVideo, listVideos, showVideo } from "./videos.ts";
import { rotateWebhookSecret } from "./accounts/webhook_secret.ts";

/** Every operation; fixed paths come before those with a name in the same place. */
export const OPERATIONS: readonly Operation[] = [
  applyCatalogue,
  createProject,
  listProjects,
  showProject,
  setProject,
  creditProject,
  enableProject,
  disableProject,
  resumeProject,
  rotateWebhookSecret,
  createKey,
  listKeys,
  findKeys,
  showKey,
  setKey,
  enableKey,
  disableKey,
  resumeKey,
  deleteKey,
  listProviders,
  showProvider,
  setProvider,
  deleteProvider,
  testProviders,
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
  listVideos,
  showVideo,
  deleteVideo,
  reportUsage,
  archiveCalls,
  listArchives,
  showCall,
  verifyLedger,
  listAudit,
  createBackup,
  showSystem,
];
