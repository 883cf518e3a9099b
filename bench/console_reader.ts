/**
 * Reads the console's pages as an owner who has signed in, and the clock meanwhile.
 *
 * @module
 */

import { DOORS } from "../src/console/frame/doors.ts";
import { type Command, runToEnd, type Server } from "./child_process.ts";
import type { DataDir } from "./servers.ts";

/** What was read: how long it took until its last byte was here, and how much it was. */
export interface ReadPage {
  readonly path: string;
  readonly milliseconds: number;
  readonly bytes: number;
}

/** An owner's session, and what pages there are for it. */
export interface ConsoleReader {
  /** Addresses from `/console` on; each of the console's own table, and each filter of calls. */
  readonly paths: readonly string[];
  /** @throws {Error} When the answer is not 200: a figure of a refusal says nothing. */
  read(path: string): Promise<ReadPage>;
}

/** Calls that a filter finds at once, seldom or never, by what it looks through. */
const FILTERS = [
  "project=bench&model=bench-3",
  "key=key_bench7",
  "route=gamma/bench-3/2",
  "status=failed",
  "slower_than=299",
  "slower_than=5000",
  "dearer_than=1",
  "tag=team%3Dnobody",
  "id=zzzz",
  "from=24h&status=served",
];

/** Signs in, and finds something to show for each page of one thing. */
export async function openConsole(
  command: Command,
  { gateway, path, requestId }: {
    readonly gateway: Server;
    /** A call that the page of one call shows. */
    readonly requestId: string;
  } & Pick<DataDir, "path">,
): Promise<ConsoleReader> {
  const { url } = JSON.parse(await runToEnd([...command, "console", "--data-dir", path, "--json"]));
  const cookie = await signIn(url);
  const things: Readonly<Record<string, string>> = {
    request_id: requestId,
    project: "bench",
    provider: "gamma",
    model: "bench-3",
    route: "gamma/bench-3/2",
  };
  const paths = DOORS.filter(({ method }) => method === "GET").flatMap(({ path }) => {
    // An editor names no kind in its part: `/settings/route/:id`.
    const named = path.replace(/^(\/settings\/(\w+)\/):id$/, "$1:$2").replace(/^\/$/, "");
    const filled = named.replaceAll(/:(\w+)\*?/g, (whole, name) => {
      const thing = things[name];
      return thing === undefined ? whole : encodeURIComponent(thing);
    });
    // Of films, batches, kept prompts and work under way there is none; exports are files, not pages.
    return /:|\/export$|\/content$/.test(filled) ? [] : [filled];
  });
  const found = FILTERS.map((filter) => `/calls?${filter}`);
  return {
    paths: [...paths, ...found],
    async read(path) {
      const begun = performance.now();
      const answer = await fetch(`http://127.0.0.1:${gateway.port}/console${path}`, {
        headers: { cookie },
        redirect: "manual",
      });
      const { length } = await answer.text();
      if (answer.status !== 200) throw new Error(`${path} was answered by ${answer.status}`);
      return { path, milliseconds: performance.now() - begun, bytes: length };
    },
  };
}

async function signIn(link: string): Promise<string> {
  const answer = await fetch(link.replace(/\?.*/, ""), {
    method: "POST",
    body: new URLSearchParams({ code: new URL(link).searchParams.get("code")! }),
    redirect: "manual",
  });
  await answer.body?.cancel();
  const [cookie] = answer.headers.get("set-cookie")?.split(";") ?? [];
  if (cookie === undefined) throw new Error(`Cannot sign in: ${answer.status}`);
  return cookie;
}
