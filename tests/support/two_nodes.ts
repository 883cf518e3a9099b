/**
 * Two executables over one database, and an upstream that falls silent when a test wants it to.
 *
 * @module
 */

import { answerBody } from "./chat_bodies.ts";
import { jsonReply, type Reply, startFakeUpstream } from "./fake_upstream.ts";
import type { PostgresServer } from "./postgres_server.ts";
import { serveGateway } from "./served_gateway.ts";

/** How they begin. */
export interface TwoNodesOptions {
  /** Of both. */
  readonly env?: Readonly<Record<string, string>>;
  /** So many answers come before the upstream is silent. */
  readonly answered: number;
}

/** A first node with a project `paying` that has 1, and how to start the second. */
export async function twoNodes(
  server: PostgresServer,
  database: string,
  { env = {}, answered }: TwoNodesOptions,
) {
  await using begun = new AsyncDisposableStack();
  let asked = 0;
  let isOpen = false;
  const isSilent = Promise.withResolvers<void>();
  const goesOn = Promise.withResolvers<void>();
  const upstream = begun.use(
    await startFakeUpstream(async (): Promise<Reply> => {
      if (!isOpen && ++asked > answered) {
        isSilent.resolve();
        await goesOn.promise;
      }
      return jsonReply(answerBody("Hi"));
    }),
  );
  await server.create(database);
  const all = { TOLLGATE_DATABASE_URL: server.url(database), ...env };
  const first = begun.use(
    await serveGateway({
      env: all,
      catalogue: `
providers: [{ id: a, kind: openai_compatible, base_url: "${upstream.url}", auth: none }]
models:
  - { id: m, kind: chat, routes: [{ id: a/m, provider: a, sale: { input: "1", output: "2" } }] }
projects: [{ id: paying, unlimited: false }]
`,
    }),
  );
  await first.credit("paying", "1");
  const key = await first.key("paying");
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-node-" });
  begun.defer(() => Deno.remove(dataDir, { recursive: true }));
  const stack = begun.move();
  const start = async (dir: string) =>
    stack.use(await serveGateway({ dataDir: dir, env: all, expectKey: false }));
  return {
    upstream,
    first,
    key,
    /** Again, after it has ended. */
    startFirst: () => start(first.server.dataDir),
    startSecond: () => start(dataDir),
    /** Resolves when a request waits for the upstream. */
    isSilent: isSilent.promise,
    /** Has the upstream answer, what waits and what comes. */
    goOn() {
      isOpen = true;
      goesOn.resolve();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
