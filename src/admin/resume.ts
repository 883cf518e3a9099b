/**
 * Lets a project or key spend again that its spend brake has paused or that has
 * used up a budget.
 *
 * @module
 */

import * as z from "zod";
import type { AuditFields } from "../domain/audit.ts";
import type { SpendSubject } from "../domain/spending.ts";
import { spendRow } from "./budgets.ts";
import { commitChange } from "./commit_change.ts";
import type { AdminDeps } from "./deps.ts";
import { type KeyRow, keyRow, requireKey } from "./keys.ts";
import { oneAtATime } from "./one_at_a_time.ts";
import { defineOperation } from "./operation.ts";
import { type ProjectRow, projectRow, requireProject } from "./projects.ts";

const SUMMARY = "Ends a pause by the spend brake, and begins every budget anew that is reached.";

export const resumeProject = defineOperation({
  name: "projects.resume",
  method: "POST",
  path: "/projects/{project}/resume",
  summary: SUMMARY,
  input: z.strictObject({ project: z.string().min(1) }),
  run(deps, { project: id }): Promise<ProjectRow> {
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
  summary: SUMMARY,
  input: z.strictObject({ key_id: z.string().min(1) }),
  run(deps, { key_id }): Promise<KeyRow> {
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
