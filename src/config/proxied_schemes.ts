/**
 * Which upstream calls an outgoing proxy of the environment may apply to.
 *
 * @module
 */

/** Whether calls by plain HTTP, and by HTTPS, may have to go through a proxy. */
export interface ProxiedSchemes {
  readonly http: boolean;
  readonly https: boolean;
}

/**
 * Reads the customary variables (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, in
 * either case). `NO_PROXY` is left to the runtime, which then makes the call and
 * knows the whole of its rules.
 */
export function readProxiedSchemes(
  env: Readonly<Record<string, string | undefined>>,
): ProxiedSchemes {
  const isSet = (name: string) =>
    [env[name], env[name.toLowerCase()]].some((value) => value !== undefined && value !== "");
  const all = isSet("ALL_PROXY");
  return { http: all || isSet("HTTP_PROXY"), https: all || isSet("HTTPS_PROXY") };
}
