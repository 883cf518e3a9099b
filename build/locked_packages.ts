/**
 * Which packages a lockfile gives to some imports.
 *
 * @module
 */

/** What is read of a `deno.lock` of version 5. */
export interface Lockfile {
  /** `npm:NAME@WANTED` → the version that it is. */
  readonly specifiers: Readonly<Record<string, string>>;
  /** By `NAME@VERSION`; a dependency is a name, with its version where there are several. */
  readonly npm: Readonly<
    Record<string, { readonly integrity?: string; readonly dependencies?: readonly string[] }>
  >;
}

/**
 * The packages that `specifiers` (as an import map has them) bring, those of their own included, as
 * `NAME@VERSION CHECKSUM`, sorted.
 *
 * @throws {Error} for a package that the lockfile lacks.
 */
export function lockedPackages(lock: Lockfile, specifiers: readonly string[]): string[] {
  const found = new Map<string, string>();
  const names = specifiers.map((specifier) => {
    const wanted = specifier.replace(/^npm:\/?(.*?)\/?$/, "npm:$1");
    return `${/^npm:(.+)@/.exec(wanted)?.[1]}@${lock.specifiers[wanted]}`;
  });
  for (const name of names) {
    if (found.has(name)) continue;
    const entry = lock.npm[name];
    if (entry === undefined) throw new Error(`Cannot find ${name} in the lockfile`);
    found.set(name, `${name} ${entry.integrity}`);
    names.push(...(entry.dependencies ?? []).map((own) => withVersion(lock, own)));
  }
  return [...found.values()].sort();
}

/** A name without a version is that of a package of which there is one. */
function withVersion({ npm }: Lockfile, name: string): string {
  return npm[name] === undefined
    ? Object.keys(npm).find((key) => key.startsWith(`${name}@`)) ?? name
    : name;
}
