/**
 * What a call said, where its project has that kept: read by few, and every reading is noted.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../documents/shown.ts";
import { GatewayError } from "../errors.ts";
import { BLOCK_KINDS, conversationOf } from "../prompts/conversation.ts";
import { heldToOwn } from "./accounts/own_project.ts";
import { projectField, requireProject } from "./accounts/projects.ts";
import { commitChange } from "./base/commit_change.ts";
import { shownCount, shownTime, timeToJson } from "./base/fields.ts";
import { defineOperation } from "./base/operation.ts";
import { noSuchCall, projectOfCall, requireCall } from "./calls.ts";

/** A reading, as the audit log tells of it: it changes nothing but that it was done. */
export const CONTENT_READ = { name: "calls.content", changes: "call" } as const;

const content = z.object({
  request_id: z.string(),
  project: z.string(),
  at: shownTime,
  expires_at: shownTime.describe("When it is deleted, at the latest"),
  path: z.string(),
  model: z.string().nullable().describe("As the caller named it"),
  status: z.int().describe("What the caller saw"),
  stream: z.boolean(),
  state: z.enum(["complete", "left", "refused"]).describe(
    "How the answer ended: left when its caller went away before its end",
  ),
  cut: z.boolean().describe("Whether something was too long to keep"),
  redacted: z.record(z.string(), shownCount).describe("What was taken out, how often"),
  conversation: z.array(z.object({
    role: z.string(),
    blocks: z.array(z.object({
      kind: z.enum(BLOCK_KINDS),
      text: z.string(),
      name: z.string().optional().describe("Of a tool call its tool's"),
    })),
  })).describe("The request's turns, then the answer's"),
  request: z.unknown().describe("The body as it is kept"),
  answer: z.unknown().describe("Likewise; of a stream what its events say together"),
});

/** What is shown of what a call said. */
export type CallContent = Shown<typeof content>;

export const showContent = defineOperation({
  name: "calls.content",
  method: "GET",
  path: "/calls/{request_id}/content",
  role: "operator",
  summary: "Show what a call said, where its project has that kept; the audit log notes it.",
  input: z.strictObject({
    request_id: z.string().min(1).max(100).describe("the answer's x-request-id"),
  }),
  output: content,
  errors: ["not_found", "storage_full", "films_away"],
  async heldTo(project, input, deps) {
    const of = await projectOfCall(deps, input.request_id);
    const missing = () => noSuchCall(input.request_id);
    return heldToOwn(input, { of, project, missing });
  },
  async run(deps, { request_id: requestId }) {
    const { projectId, at } = await requireCall(deps, requestId);
    const kept = await deps.prompts.find({ projectId, requestId, at });
    if (kept === undefined) {
      throw new GatewayError(
        "not_found",
        `Nothing is kept of what '${requestId}' said: ${
          projectId === ""
            ? "it was refused before anybody knew whose it is"
            : `a project has that kept from when \`tollgate projects set ${projectId} ` +
              "--prompt-days DAYS` was given on, for so many days"
        }`,
      );
    }
    await commitChange({ ...deps, act: CONTENT_READ }, {
      id: requestId,
      after: { read: true, project: projectId },
      entries: [{ kind: "note_reading" }],
    });
    const { request, answer } = kept;
    return {
      request_id: kept.request_id,
      project: kept.project,
      at: timeToJson(kept.at),
      expires_at: timeToJson(kept.until),
      path: kept.path,
      model: kept.model,
      status: kept.status,
      stream: kept.stream,
      state: kept.state,
      cut: kept.cut,
      redacted: { ...kept.redacted },
      conversation: conversationOf(request, answer).map(({ role, blocks }) => ({
        role,
        blocks: blocks.map((block) => ({ ...block })),
      })),
      request,
      answer,
    };
  },
});

export const forgetPrompts = defineOperation({
  name: "projects.forget_prompts",
  method: "POST",
  path: "/projects/{project}/forget-prompts",
  role: "operator",
  changes: "project",
  summary: "Delete everything that is kept of what a project's calls said, now.",
  input: z.strictObject({ project: projectField }),
  output: z.object({
    project: z.string(),
    bytes: shownCount.describe(
      "What it took: of the disk in blocks of 4 KiB, and one for each character that still waited " +
        "to be written",
    ),
  }),
  errors: ["not_found", "films_away"],
  async run(deps, { project }) {
    requireProject(deps, project);
    // Also where this node knows of nothing: another one may have some on its way.
    await commitChange(deps, {
      id: project,
      before: { prompts: "kept" },
      after: { prompts: "forgotten" },
      entries: [{ kind: "note_reading" }],
    });
    return { project, bytes: await deps.prompts.forget(project) };
  },
});
