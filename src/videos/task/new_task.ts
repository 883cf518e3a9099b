/**
 * A task as it is created: what its request asks for, and where it is to be made.
 *
 * @module
 */

import { NEW_TASK, type VideoTask } from "../../domain/video_task.ts";
import type { Plan } from "../../planning/plan_call.ts";
import type { CreateVideoRequest } from "./create_request.ts";

/** The task of a request on one route of its plan; nothing is stored. */
export function newTask({ id, request, plan, referenceType, createdAt, route, provider }: {
  readonly id: string;
  readonly request: CreateVideoRequest;
  readonly plan: Plan;
  readonly referenceType: string | undefined;
  readonly createdAt: number;
  readonly route: string;
  readonly provider: string;
}): VideoTask {
  const { identity, caller } = request;
  return {
    id,
    callId: identity.callId,
    requestId: identity.requestId,
    projectId: caller.project.id,
    keyId: caller.key.id,
    model: plan.model.id,
    prompt: request.prompt,
    ...plan.facts.video!,
    wishes: request.wishes,
    fields: request.fields,
    referenceType,
    callbackUrl: request.callbackUrl,
    fingerprint: request.fingerprint,
    createdAt,
    provider,
    route,
    ...NEW_TASK,
  };
}
