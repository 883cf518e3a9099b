/**
 * What a call said, and what is kept of it.
 *
 * @module
 */

import type { Project } from "../domain/account.ts";
import type { Redacted } from "./redactor.ts";

/** How an answer ended for its caller; `left`: the caller went away before its end. */
export type PromptState = "complete" | "left" | "refused";

/** A request and what became of it. */
export interface SaidPrompt {
  readonly project: Pick<Project, "id" | "quotas">;
  readonly requestId: string;
  /** When it arrived, milliseconds since the epoch. */
  readonly at: number;
  /** Without its prefix. */
  readonly path: string;
  readonly model: string | undefined;
  /** What its caller saw. */
  readonly status: number;
  readonly state: PromptState;
  readonly request: unknown;
  /** Size of the request as it came. */
  readonly requestBytes: number;
  readonly answer: SaidAnswer;
}

/** What was answered: JSON, server-sent events, or an error's words. */
export interface SaidAnswer {
  readonly form: "json" | "events" | "error";
  readonly text: string;
  /** Whether there was more. */
  readonly isCut: boolean;
}

/** What is kept of a call. */
export interface KeptPrompt {
  readonly request_id: string;
  readonly project: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly path: string;
  readonly model: string | null;
  readonly status: number;
  readonly stream: boolean;
  readonly state: PromptState;
  readonly cut: boolean;
  readonly redacted: Redacted;
  readonly request: unknown;
  readonly answer: unknown;
}
