/**
 * The one list of administrative operations.
 *
 * @module
 */

import { archiveCalls } from "./archive_calls.ts";
import { listAudit } from "./audit.ts";
import { createBackup } from "./backups.ts";
import { showCall } from "./calls.ts";
import { applyCatalogue } from "./catalogue.ts";
import { creditProject } from "./credit_project.ts";
import { explainRoutes } from "./explain.ts";
import { findKeys } from "./find_keys.ts";
import { createKey, deleteKey, disableKey, enableKey, listKeys, setKey, showKey } from "./keys.ts";
import { listArchives } from "./list_archives.ts";
import { listModels } from "./models.ts";
import type { Operation } from "./operation.ts";
import {
  createProject,
  disableProject,
  enableProject,
  listProjects,
  setProject,
  showProject,
} from "./projects.ts";
import { deleteModel, setModel, showModel } from "./pieces/models.ts";
import { deleteProvider, setProvider, showProvider } from "./pieces/providers.ts";
import { deleteRoute, setRoute, showRoute } from "./pieces/routes.ts";
import { listProviders, testProviders } from "./providers.ts";
import { resumeKey, resumeProject } from "./resume.ts";
import { disableRoute, enableRoute, listRoutes, maintainRoute } from "./routes.ts";
import { showSystem } from "./system.ts";
import { reportUsage } from "./usage.ts";
import { verifyLedger } from "./verify_ledger.ts";
import { deleteVideo, listVideos, showVideo } from "./videos.ts";
import { rotateWebhookSecret } from "./webhook_secret.ts";

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
