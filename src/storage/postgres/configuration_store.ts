/**
 * Changes of the configuration, numbered. Whoever makes one holds the row of the last number until it
 * is written, so that numbers rise in the order of the commits and none is missing.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import type { SpendScope, SpendState } from "../../domain/spending.ts";
import type {
  ConfigurationNews,
  ConfigurationVersion,
  SharedConfiguration,
} from "../ports/configuration.ts";
import type { AdminEntry, Entry } from "../ports/entry.ts";
import { KEY, PROJECT } from "../rows/account_rows.ts";
import { spendStateFrom } from "../rows/spend_state.ts";
import { TOKEN, tokenFromRow } from "../rows/token_row.ts";
import type { Ask, AskedRow } from "./ask.ts";
import { PostgresCatalogueStore } from "./catalogue_store.ts";
import { SERVER_NOW } from "./sql.ts";
import { PostgresVideoStore } from "./video_store.ts";

/** The last number, for statements of others. */
export const READ_VERSION = "SELECT value FROM cluster_meta WHERE name = 'config'";

/** A node that has not heard of a change for so long has ended. */
const KEPT_MS = 7 * 86_400_000;
const FORGOTTEN_ROWS = 1_000;

const KEYS = `SELECT ${KEY.names} FROM keys WHERE id = ANY(?) ORDER BY id`;
const PROJECTS = `SELECT ${PROJECT.names} FROM projects WHERE id = ANY(?) ORDER BY id`;
const TOKENS = `SELECT ${TOKEN.names} FROM admin_tokens WHERE id = ANY(?) ORDER BY id`;

/** What is changed, and which of them. */
interface Change {
  readonly kind: "project" | "key" | "token" | "spending" | "catalogue" | "pauses" | "webhook";
  readonly id: string;
}

/** Reads for nodes; writes, inside the caller's transaction, for the writer. */
export class PostgresConfigurationStore implements Omit<SharedConfiguration, "follow"> {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async version(): Promise<ConfigurationVersion> {
    return Number((await this.#ask.get(READ_VERSION))!.value);
  }

  /** Keeps everybody else from changing anything until the transaction ends. */
  async lock(): Promise<ConfigurationVersion> {
    return Number((await this.#ask.get(`${READ_VERSION} FOR UPDATE`))!.value);
  }

  /** Whether another session than this one has changed anything since. */
  async isChangedByOthers(since: ConfigurationVersion, session: SessionId): Promise<boolean> {
    const found = await this.#ask.get(
      `SELECT count(*) AS n FROM config_changes WHERE version > ? AND session_id <> ?`,
      since,
      session,
    );
    return found!.n !== 0;
  }

  /** Numbers changes behind a version; gives the last number. */
  async note(
    changes: readonly Change[],
    { after, session }: { readonly after: ConfigurationVersion; readonly session: SessionId },
  ): Promise<ConfigurationVersion> {
    const last = after + changes.length;
    await this.#ask.run(
      `INSERT INTO config_changes (version, kind, id, at, session_id)
       SELECT ?::bigint + place, kind, id, ${SERVER_NOW}, ?::bigint
       FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS change (kind, id, place)`,
      after,
      session,
      changes.map(({ kind }) => kind),
      changes.map(({ id }) => id),
    );
    await this.#ask.run("UPDATE cluster_meta SET value = ? WHERE name = 'config'", String(last));
    await this.#ask.run(
      `DELETE FROM config_changes WHERE version IN (
         SELECT version FROM config_changes WHERE at < ${SERVER_NOW} - ${KEPT_MS}
         ORDER BY version LIMIT ${FORGOTTEN_ROWS})`,
    );
    return last;
  }

  /** Statements of one moment, where `ask` is of one. */
  async since(version: ConfigurationVersion): Promise<ConfigurationNews> {
    const last = await this.version();
    const rows = await this.#ask.all(
      "SELECT DISTINCT kind, id FROM config_changes WHERE version > ? ORDER BY kind, id",
      version,
    ) as unknown as readonly Change[];
    const idsOf = (wanted: Change["kind"]) =>
      rows.flatMap(({ kind, id }) => kind === wanted ? [id] : []);
    const keys = (await this.#named(KEYS, idsOf("key"))).map((row) => KEY.read(row));
    const found = new Set(keys.map(({ id }) => id));
    return {
      version: last,
      projects: (await this.#named(PROJECTS, idsOf("project"))).map((row) => PROJECT.read(row)),
      keys,
      deletedKeys: idsOf("key").filter((id) => !found.has(id)),
      tokens: (await this.#named(TOKENS, idsOf("token"))).map(tokenFromRow),
      spending: await this.#spendStates(idsOf("spending")),
      ...(idsOf("catalogue").length > 0 && {
        catalogue: await new PostgresCatalogueStore(this.#ask).load(),
      }),
      ...(idsOf("pauses").length > 0 && {
        pauses: await new PostgresVideoStore(this.#ask).pauses(),
      }),
    };
  }

  #named(sql: string, ids: readonly string[]): Promise<readonly AskedRow[]> {
    return ids.length === 0 ? Promise.resolve([]) : this.#ask.all(sql, ids);
  }

  /** Of subjects as {@linkcode subjectOf} names them; one of which nothing is stored has nothing. */
  async #spendStates(subjects: readonly string[]): Promise<readonly SpendState[]> {
    if (subjects.length === 0) return [];
    const rows = await this.#ask.all(
      `SELECT scope, subject_id, document FROM spend_states
       WHERE scope || ':' || subject_id = ANY(?)`,
      subjects,
    );
    const stored = new Map(rows.map(spendStateFrom).map((state) => [subjectOf(state), state]));
    return subjects.map((subject) => {
      const end = subject.indexOf(":");
      const scope = subject.slice(0, end) as SpendScope;
      return stored.get(subject) ??
        { scope, id: subject.slice(end + 1), pause: undefined, forgiven: {} };
    });
  }
}

function subjectOf({ scope, id }: Pick<SpendState, "scope" | "id">): string {
  return `${scope}:${id}`;
}

/** What an entry changes of the configuration, where it does. */
export function changeOf(entry: Entry): Change | undefined {
  switch (entry.kind) {
    case "create_project":
    case "update_project":
      return { kind: "project", id: entry.project.id };
    case "create_key":
    case "update_key":
      return { kind: "key", id: entry.key.id };
    case "delete_key":
      return { kind: "key", id: entry.keyId };
    case "create_token":
      return { kind: "token", id: entry.token.id };
    case "revoke_token":
    case "note_token_use":
      return { kind: "token", id: entry.tokenId };
    case "put_spend_state":
      return { kind: "spending", id: subjectOf(entry.state) };
    case "write_catalogue":
    case "switch_route":
      return { kind: "catalogue", id: "" };
    case "put_video_pauses":
      return { kind: "pauses", id: "" };
    // Read where it is used: only whoever makes another one has to know of it.
    case "put_webhook_secret":
      return { kind: "webhook", id: entry.secret.projectId };
    default:
      return undefined;
  }
}

/** Whether an entry is applied under the lock of the configuration: it changes that or the audit log. */
export function isAdministrative(entry: Entry): boolean {
  return entry.kind === "audited" || changeOf(entry) !== undefined;
}

/** What an entry, with its changes if it has several, changes of the configuration. */
export function changesOf(entry: Entry): readonly Change[] {
  const entries: readonly (Entry | AdminEntry)[] = entry.kind === "audited"
    ? entry.changes
    : [entry];
  return entries.flatMap((one) => changeOf(one) ?? []);
}
