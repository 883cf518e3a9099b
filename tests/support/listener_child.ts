/**
 * A listener in a process of its own, for tests that take away its descriptors. Its handler waits
 * for the body, opens 50 files and says so. It prints its port, then the code of every failure, and
 * ends when its standard input does.
 *
 * @module
 */
import { listen } from "../../src/http/listener.ts";
import type { RequestHandler } from "../../src/http/listener/contract.ts";

const encoder = new TextEncoder();
const program = new URL(import.meta.url).pathname;

const openFiles: RequestHandler = async (request) => {
  await request.text();
  const files = Array.from({ length: 50 }, () => Deno.openSync(program));
  for (const file of files) file.close();
  return new Response(`${files.length} files`);
};

const listener = listen(openFiles, {
  limits: Deno.args[0] === "unlimited" ? {} : { maxConnections: Number(Deno.args[0]) },
  onError: (error) => {
    Deno.stdout.writeSync(encoder.encode(`${(error as { code?: string }).code}\n`));
  },
});
Deno.stdout.writeSync(encoder.encode(String((listener.address as Deno.NetAddr).port)));
while (await Deno.stdin.read(new Uint8Array(16)) !== null);
listener.close();
