/**
 * Settings that every program of a run of tests has, besides what a test gives its own.
 *
 * @module
 */

/** What a run may change; what is absent has the program's default. */
export interface TestedSettings {
  /** In how many threads it serves. */
  readonly threads?: number | undefined;
  /** `off`: every call goes the general way. */
  readonly quickCalls?: "off" | undefined;
}

/** What carries them to where programs are started: `tests/support/executable.ts`. */
const CARRIER = "TOLLGATE_TEST_SETTINGS";

/** The variables that a process of tests gets for them. */
export function carrierOf({ threads, quickCalls }: TestedSettings): Record<string, string> {
  const settings = {
    ...(threads !== undefined && { TOLLGATE_THREADS: String(threads) }),
    ...(quickCalls !== undefined && { TOLLGATE_QUICK_CALLS: quickCalls }),
  };
  return Object.keys(settings).length === 0 ? {} : { [CARRIER]: JSON.stringify(settings) };
}

/** The variables that its programs get, in a process of tests. */
export function carriedSettings(): Readonly<Record<string, string>> {
  return JSON.parse(Deno.env.get(CARRIER) ?? "{}");
}

/** As words for a report: ` --threads 4 --quick-calls off`, each behind a space. */
export function flagsOf({ threads, quickCalls }: TestedSettings): string {
  return (threads === undefined ? "" : ` --threads ${threads}`) +
    (quickCalls === undefined ? "" : ` --quick-calls ${quickCalls}`);
}
