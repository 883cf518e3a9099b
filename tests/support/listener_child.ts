/**
 * A listener in a process of its own, for tests that take away its descriptors. Prints its port,
 * and ends when its standard input does.
 *
 * @module
 */
import { listen } from "../../src/http/listener.ts";

const limits = Deno.args[0] === "unlimited" ? { maxConnections: Number.POSITIVE_INFINITY } : {};
const listener = listen(() => new Response("alive"), { limits, onError: () => undefined });
Deno.stdout.writeSync(
  new TextEncoder().encode(String((listener.address as Deno.NetAddr).port)),
);
while (await Deno.stdin.read(new Uint8Array(16)) !== null);
listener.close();
