/**
 * Why requests were refused, in words, and what mends it.
 *
 * @module
 */

/** What decided over a refusal, as far as it is known. */
export interface RefusalCause {
  readonly project?: string | null | undefined;
  readonly key?: string | null | undefined;
  readonly reason?: string | null | undefined;
  readonly why?: string | null | undefined;
}

const LIMITS: {
  readonly [limit: string]: readonly [words: string, option: string, value: string];
} = {
  requests_per_minute: ["requests per minute", "requests-per-minute", "N"],
  tokens_per_minute: ["tokens per minute", "tokens-per-minute", "N"],
  concurrent: ["requests at the same time", "concurrent", "N"],
  open_video_tasks: ["unfinished video tasks", "open-video-tasks", "N"],
  daily_budget: ["daily budget", "daily-budget", "AMOUNT"],
  monthly_budget: ["monthly budget", "monthly-budget", "AMOUNT"],
};

/** A cause in words. */
export function causeWords({ reason, why }: RefusalCause): string {
  const { scope, limit } = scopedLimit(why);
  if (limit !== undefined) return `${LIMITS[limit]![0]} of the ${scope}`;
  if (why === "project_spend_brake" || why === "key_spend_brake") {
    return `the spend brake of the ${why.slice(0, why.indexOf("_"))}`;
  }
  const words = [reason, why].filter(Boolean).join(": ");
  return words.replaceAll("_", " ").toLowerCase();
}

/** Whether it is a limit that somebody has set, and can raise. */
export function isThrottled({ why }: RefusalCause): boolean {
  return scopedLimit(why).limit !== undefined;
}

/** The command that mends it; `undefined` where there is no one command. */
export function mendingCommand(cause: RefusalCause): string | undefined {
  const { project, key, reason, why } = cause;
  const { scope, limit } = scopedLimit(why);
  const id = scope === "key" ? key ?? "KEY_ID" : project;
  if (id === null || id === undefined) return undefined;
  if (limit !== undefined) {
    const [, option, value] = LIMITS[limit]!;
    return `tollgate ${scope}s set ${id} --${option} ${value}`;
  }
  if (why === "project_spend_brake") return `tollgate projects resume ${id}`;
  if (why === "key_spend_brake") return `tollgate keys resume ${key ?? "KEY_ID"}`;
  if (why === "balance_too_low") return `tollgate projects credit ${id} AMOUNT`;
  if (reason === "MODEL_NOT_ALLOWED") return `tollgate keys set ${key ?? "KEY_ID"} --models MODELS`;
  return undefined;
}

function scopedLimit(why: string | null | undefined): {
  readonly scope?: string | undefined;
  readonly limit?: string | undefined;
} {
  const [, scope, limit] = /^(project|key)_(.+)$/.exec(why ?? "") ?? [];
  return limit === undefined || !Object.hasOwn(LIMITS, limit) ? {} : { scope, limit };
}
