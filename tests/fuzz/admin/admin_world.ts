/**
 * The program whose administration is fuzzed: two projects that have one of everything, and somebody
 * of each role.
 *
 * @module
 */

import { jsonReply } from "../../support/fake_upstream.ts";
import { SecurityWorld } from "../../support/security/security_world.ts";
import { WORLD_PROJECTS, type WorldProject } from "../../support/security/world_catalogue.ts";
import { until } from "../../support/until.ts";
import { type ApiDocument, type ApiOperation, readOperations } from "../api_operation.ts";
import { AdminIds } from "./admin_ids.ts";

/** Who asks; a stranger has a token that was never one, an outcast one that was revoked. */
export const ADMIN_ROLES = [
  "owner",
  "operator",
  "viewer",
  "member",
  "stranger",
  "outcast",
] as const;
/** One of {@linkcode ADMIN_ROLES}. */
export type AdminRole = typeof ADMIN_ROLES[number];

/** An operation with the roles that the document names. */
export interface AdminOperation extends ApiOperation {
  readonly roles: readonly string[];
}

/** The member's project. */
export const OWN = "mine";
/** What asks for anything outside goes there: nothing listens. */
const NOWHERE = "http://127.0.0.1:9";
/** A film that its upstream refuses. */
const MORE_MODELS = `
models:
  - id: film-refused
    kind: video
    routes:
      - id: remote/film
        provider: remote
        upstream_model: refuses
        video: { sizes: ["64x64"], seconds: [1] }
        sale: { second: "0.25" }
  - id: slow
    kind: chat
    routes: [{ id: builtin/slow, provider: builtin, upstream_model: "echo-1:slow-100", free: true }]
`;

export interface AdminWorldOptions {
  /** See `StartOptions.through`. */
  readonly through?: readonly string[];
}

/** `await using` ends it. */
export class AdminWorld implements AsyncDisposable {
  readonly world: SecurityWorld;
  readonly document: ApiDocument;
  readonly operations: readonly AdminOperation[];
  readonly tokens: Readonly<Record<AdminRole, string>>;
  readonly ids = new AdminIds();
  /** By what they are: everything that no answer may tell once it was made. */
  readonly secrets: Record<string, string>;
  readonly address: Deno.NetAddr;

  private constructor(parts: {
    readonly world: SecurityWorld;
    readonly document: ApiDocument;
    readonly tokens: Readonly<Record<AdminRole, string>>;
  }) {
    const { hostname, port } = new URL(parts.world.gateway.url);
    this.world = parts.world;
    this.document = parts.document;
    this.operations = operationsOf(parts.document);
    this.tokens = parts.tokens;
    this.secrets = { ...parts.world.secrets };
    for (const [role, token] of Object.entries(parts.tokens)) {
      if (role !== "stranger") this.secrets[`the token of the ${role}`] = token;
    }
    this.address = { transport: "tcp", hostname, port: Number(port) };
  }

  static async start({ through }: AdminWorldOptions = {}): Promise<AdminWorld> {
    await using begun = new AsyncDisposableStack();
    const world = begun.use(
      await SecurityWorld.start({
        args: ["--alert-url", `slack=${NOWHERE}/alerts`, "--webhook-private-addresses", "true"],
        env: { HTTPS_PROXY: NOWHERE },
        ...(through !== undefined && { through }),
        upstream: ({ target }) =>
          target.endsWith("/videos")
            ? jsonReply({ error: { message: "No such film", code: "invalid_value" } }, {
              status: 400,
            })
            : undefined,
      }),
    );
    await world.admin("POST", "/catalogue/apply", { text: MORE_MODELS });
    const document = await world.admin("GET", "/openapi.json") as ApiDocument;
    const { tokens, ids: tokenIds } = await makeTokens(world);
    const made = new AdminWorld({ world, document, tokens });
    for (const id of tokenIds) made.ids.spare(id);
    for (const project of WORLD_PROJECTS) await made.#furnish(project);
    // What is made from now on waits: nothing changes by itself any more.
    await world.admin("POST", "/video-queue/pause", { reason: "to be looked at" });
    for (const project of WORLD_PROJECTS) await made.#queueFilms(project);
    await made.#beginBatch();
    begun.move();
    return made;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
  }

  /** One of everything that a project can have, with words that nobody else may see. */
  async #furnish(project: WorldProject): Promise<void> {
    const { world, ids } = this;
    const mark = (what: string) => {
      const words = `${what}-of-${project}-${crypto.randomUUID()}`;
      ids.mark(project, words);
      return words;
    };
    await world.admin("POST", `/projects/${project}`, { quotas: { prompt_days: 1 } });
    const key = await world.admin("POST", "/keys", { project, name: mark("name") });
    this.secrets[`a spare key of ${project}`] = key.key;
    const chat = await world.ask({
      method: "POST",
      target: "/v1/chat/completions",
      key: world.keys[project],
      body: { model: "plain", messages: [{ role: "user", content: mark("prompt") }] },
    });
    const film = await world.film({
      prompt: mark("film"),
      callback_url: `https://hooks.invalid/${mark("callback")}?token=${mark("token")}`,
    }, project);
    const refused = await world.post("/videos", {
      model: "film-refused",
      prompt: mark("refused"),
    }, project);
    await until("the refused film", async () => {
      return (await world.get(`/videos/${refused.id}`, project)).status === "failed";
    });
    const batch = await world.batch(mark("batch"), project);
    const file = await world.upload(mark("file"), project);
    const { data: [webhook] } = await world.admin("GET", `/webhooks?project=${project}`);
    ids.keep(project, "key", [world.keyIds[project], key.id]);
    ids.keep(project, "request", [chat.headers.get("x-request-id")!]);
    ids.keep(project, "video", [film.id, refused.id]);
    ids.keep(project, "failed_video", [refused.id]);
    ids.keep(project, "batch", [batch.id]);
    ids.keep(project, "file", [file.id, batch.input_file_id]);
    ids.keep(project, "webhook", [webhook.id]);
  }

  /** Until what the first cases have set in motion is done. */
  async settled(): Promise<void> {
    const id = this.ids.last(OWN, "open_batch");
    await until("the batch to be cancelled", async () => {
      return (await this.world.get(`/batches/${id}`, OWN)).status === "cancelled";
    });
  }

  /** Films that wait. */
  async #queueFilms(project: WorldProject): Promise<void> {
    const { world, ids } = this;
    for (let count = 0; count < 2; count++) {
      const { id } = await world.post("/videos", { model: "film", prompt: "a kite" }, project);
      ids.keep(project, "queued_video", [id]);
      ids.keep(project, "video", [id]);
    }
  }

  /** A batch that lasts until somebody cancels it. */
  async #beginBatch(): Promise<void> {
    const { world, ids } = this;
    const url = "/v1/chat/completions";
    const body = { model: "slow", messages: [{ role: "user", content: "wait" }] };
    const lines = Array.from(
      { length: 2_000 },
      (_, at) => JSON.stringify({ custom_id: `${at}`, method: "POST", url, body }),
    );
    const file = await world.upload(lines.join("\n"), OWN, "batch");
    const batch = await world.post("/batches", {
      input_file_id: file.id,
      endpoint: url,
      completion_window: "24h",
    }, OWN);
    ids.keep(OWN, "open_batch", [batch.id]);
  }
}

/** A token of each role, and the ids of those that nobody is to revoke. */
async function makeTokens(world: SecurityWorld) {
  const ids: string[] = [];
  const make = async (role: string, project?: string): Promise<{ id: string; token: string }> => {
    const made = await world.admin("POST", "/tokens", {
      ...{ name: `a ${role}`, role },
      ...(project !== undefined && { project }),
    });
    ids.push(made.id);
    return made;
  };
  const outcast = await make("owner");
  await world.admin("POST", `/tokens/${outcast.id}/revoke`, {});
  const tokens: Record<AdminRole, string> = {
    owner: (await make("owner")).token,
    operator: (await make("operator")).token,
    viewer: (await make("viewer")).token,
    member: (await make("member", OWN)).token,
    stranger: `at-tg-${"a".repeat(43)}`,
    outcast: outcast.token,
  };
  return { tokens, ids };
}

function operationsOf(document: ApiDocument): readonly AdminOperation[] {
  const roles = new Map<string, readonly string[]>();
  for (const methods of Object.values(document.paths)) {
    for (const { operationId, security = [] } of Object.values(methods)) {
      const [scheme] = security as readonly { readonly administration?: readonly string[] }[];
      roles.set(operationId, scheme?.administration ?? []);
    }
  }
  return readOperations(document).map((one) => ({ ...one, roles: roles.get(one.id)! }));
}
