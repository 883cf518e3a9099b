/**
 * Reads what stands in files: the catalogue, at the start and again when told to, and secrets.
 *
 * @module
 */

import type { AdminDeps } from "../admin/base/deps.ts";
import type { RereadSecrets } from "../config/secrets.ts";
import { GatewayError } from "../errors.ts";
import type { Health } from "../routing/health.ts";
import type { Log } from "../telemetry/log.ts";
import { logMissingSecrets } from "./missing_secrets.ts";
import { logUnknownKinds } from "./unknown_kinds.ts";
import { ofChannel } from "./own_channel.ts";

/** What is read. */
export interface ReloadOptions {
  /** The catalogue file that owns the catalogue. */
  readonly catalog: string | undefined;
  /** Reads the files behind secret references again. */
  readonly rereadSecrets?: () => RereadSecrets;
  readonly log: Pick<Log, "info" | "warn">;
}

/** Reloading, and what became of the last one. */
export class Reloads {
  readonly #deps: Parameters<typeof reload>[0];
  readonly #options: ReloadOptions;
  #trouble: string | undefined;

  constructor(deps: Parameters<typeof reload>[0], options: ReloadOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Why the catalogue file could not be applied when it was read last; `undefined` if it could. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** @throws {GatewayError} As {@linkcode reload} does. */
  async reload(): Promise<void> {
    try {
      await reload(this.#deps, this.#options);
      this.#trouble = undefined;
    } catch (error) {
      this.#trouble = error instanceof Error ? error.message : String(error);
      throw error;
    }
  }
}

/**
 * Reads everything again; what cannot be read stays as it was.
 *
 * @throws {GatewayError} When the catalogue file is wrong.
 */
export async function reload(
  { admin, health }: { readonly admin: AdminDeps; readonly health: Health },
  options: ReloadOptions,
): Promise<void> {
  const { rereadSecrets, log } = options;
  if (rereadSecrets !== undefined) {
    const { files, changed } = rereadSecrets();
    const which = changed.length === 0 ? undefined : changed.join(", ");
    log.info("secrets_read", { files, changed: changed.length, which });
  }
  admin.registry.secretsChanged();
  // Whoever says so has mended something: what an upstream refused may be taken now.
  health.forgive();
  try {
    await applyFile(admin, options);
  } catch (error) {
    logMissingSecrets(log, admin);
    throw error;
  }
}

/**
 * Applies the catalogue file at a start, if one owns the catalogue, and tells of secrets without a value.
 * One that is older than what another server has applied is left aside.
 *
 * @throws {GatewayError} When the file is wrong; the catalogue is then as it was.
 */
export async function loadCatalogue(admin: AdminDeps, options: ReloadOptions): Promise<void> {
  try {
    await applyFile(admin, options);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.error !== "conflict") throw error;
    options.log.warn("catalogue_not_applied", { message: error.message });
    tellWhatIsMissing(admin, options);
  }
}

async function applyFile(admin: AdminDeps, options: ReloadOptions): Promise<void> {
  const { catalog, log } = options;
  if (catalog !== undefined) {
    const [{ readCatalogueFile }, { applyCatalogueText }] = await Promise.all([
      import("../catalog/read_file.ts"),
      import("../admin/catalogue/apply_catalogue.ts"),
    ]);
    const text = await readCatalogueFile(catalog);
    const { changes, warnings } = await applyCatalogueText(ofChannel(admin, "catalogue_file"), {
      file: catalog,
      text,
      dry_run: false,
      prune: true,
    });
    for (const warning of warnings) log.warn("catalogue_warning", { message: warning });
    log.info("catalogue_applied", { file: catalog, changes: changes.length });
  }
  tellWhatIsMissing(admin, options);
}

function tellWhatIsMissing(admin: AdminDeps, { log }: Pick<ReloadOptions, "log">): void {
  logUnknownKinds(log, admin.catalogue.current);
  logMissingSecrets(log, admin);
}
