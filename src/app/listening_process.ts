/**
 * A process that listens, as administration sees it.
 *
 * @module
 */

import type { AdminListening } from "../admin/base/deps.ts";
import type { SettingView } from "../admin/base/shown_setting.ts";
import { Jobs } from "./jobs/jobs.ts";
import type { RunningPatient } from "./doctor/diagnose_running.ts";
import type { Finding } from "../admin/base/doctor_finding.ts";

export class ListeningProcess implements AdminListening {
  readonly settings: readonly SettingView[];
  readonly #patient: Omit<RunningPatient, "jobs">;
  readonly #jobs = new Jobs();

  constructor(settings: readonly SettingView[], patient: Omit<RunningPatient, "jobs">) {
    this.settings = settings;
    this.#patient = patient;
  }

  async *diagnose(
    options: Parameters<AdminListening["diagnose"]>[0],
  ): AsyncGenerator<Finding> {
    const { diagnoseRunning } = await import("./doctor/diagnose_running.ts");
    yield* diagnoseRunning({ ...this.#patient, jobs: this.#jobs }, options);
  }

  /** Ends what is under way. */
  async stop(): Promise<void> {
    await this.#jobs.stop();
  }
}
