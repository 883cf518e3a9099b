/**
 * Sets the work on batches going. Wiring only.
 *
 * @module
 */

import type { BatchWork } from "../batches/batches.ts";
import { LineSlots } from "../batches/line_slots.ts";
import type { CallLine } from "../batches/line_calls.ts";
import type { Settings } from "../config/process_settings.ts";
import type { Batch } from "../domain/batch.ts";
import { delay } from "../gateway/delay.ts";
import { modelIdOf } from "../planning/model_names.ts";
import { leavesRoom } from "../planning/take_permit.ts";
import { checkJsonShape } from "../http/bodies/json_shape.ts";
import type { ApiDeps } from "../http/context/api_deps.ts";
import type { Caller } from "../accounts/key_directory.ts";
import type { UploadedFiles } from "../uploads/uploaded_files.ts";
import type { Core } from "./open_core.ts";

/** What is needed besides the core. */
export interface RunBatchesOptions {
  readonly settings: Settings["batches"];
  readonly jsonLimits: ApiDeps["jsonLimits"];
  readonly uploads: UploadedFiles;
  readonly callLine: CallLine;
  readonly hasRoomFor: (bytes: number) => boolean;
}

/** What lines are asked with. */
export function batchWork(
  { limiter, admin: { catalogue, directory, clock } }: Core,
  { settings, jsonLimits: { maxBytes, maxDepth }, uploads, callLine, hasRoomFor }:
    RunBatchesOptions,
): BatchWork {
  return {
    callLine,
    callerOf({ keyId }: Batch): Caller | "gone" | "waiting" {
      const key = directory.key(keyId);
      const project = key && directory.project(key.projectId);
      if (key === undefined || project === undefined) return "gone";
      if (key.expiresAt !== undefined && key.expiresAt <= clock.now()) return "gone";
      return key.disabled || project.disabled ? "waiting" : { key, project };
    },
    hasRoomBeside: (caller) => leavesRoom(limiter, caller),
    modelOf: (name) => modelIdOf(catalogue.current, name),
    hasDiskFor: hasRoomFor,
    slots: new LineSlots(settings.linesAtOnce),
    linesAtOnce: settings.linesPerBatch,
    lineBounds: {
      mostBytes: maxBytes,
      // The request stands inside of its line.
      checkShape: (bytes) => checkJsonShape(bytes, maxDepth + 1),
    },
    delay,
    onFiles(files) {
      for (const { projectId, bytes } of files) uploads.count(projectId, bytes);
    },
  };
}
