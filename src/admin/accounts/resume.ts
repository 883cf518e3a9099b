/**
 * Lets a project or key spend again that its spend brake has paused or that has
 * used up a budget.
 *
 * @module
 */

import * as z from "zod";
import type { AuditFields } from "../../domain/audit.ts";
import type { SpendSubject } from "../../domain/spending.ts";
import { spendRow } from "./budgets.ts";
import { commitChange } from "../base/commit_change.ts";
import type { AdminDeps } from "../base/deps.ts";
import { keyField, keyRow, requireKey, shownKey } from "./keys.ts";
import { oneAtATime } from "../base/one_at_a_time.ts";
import { defineOperation } from "../base/operation.ts";
import { projectField, projectRow, requireProject, shownProject } from "./projects.ts";

const SUMMARY = "Ends a pause by the spend brake, and begins every budget anew that is reached.";

export const resumeProject = defineOperation({
  name: "projects.resume",
  method: "POST",
  path: "/projects/{project}/resume",
  effects: "changes",
  summary: SUMMARY,
  input: z.strictObject({ project: projectField }),
  output: shownProject,
  errors: ["not_found"],
  run(deps, { project: id }) {
    return oneAtATime(deps, async () => {
      const project = requireProject(deps, id);
      await resume(deps, { scope: "project", id }, "projects.resume");
      return projectRow(deps, project);
    });
  },
});

export const resumeKey = defineOperation({
  name: "keys.resume",
  method: "POST",
  path: "/keys/{key_id}/resume",
  effects: "changes",
  summary: SUMMARY,
  input: z.strictObject({ key_id: keyField }),
  output: shownKey,
  errors: ["not_found"],
  run(deps, { key_id }) {
    return oneAtATime(deps, async () => {
      const key = requireKey(deps, key_id);
      await resume(deps, { scope: "key", id: key.id }, "keys.resume");
      return keyRow(deps, key);
    });
  },
});

/** Writes nothing where nothing stops it. */
async function resume(deps: AdminDeps, subject: SpendSubject, operation: string): Promise<void> {
  const { paused, reached_budgets } = spendRow(deps, subject);
  const before: AuditFields = { paused, reached_budgets };
  await deps.spending.resume(subject, (state) =>
    commitChange(deps, {
      operation,
      subject: `${subject.scope}:${subject.id}`,
      before,
      after: { paused: null, reached_budgets: [] },
      entries: [{ kind: "put_spend_state", state }],
    }));
}
