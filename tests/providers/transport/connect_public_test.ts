import assert from "node:assert/strict";
import { systemClock } from "../../../src/domain/clock.ts";
import type { PublicNet } from "../../../src/providers/transport/connect_public.ts";
import {
  ADDRESS_REFUSED,
  type UpstreamRequest,
} from "../../../src/providers/transport/contract.ts";
import { createFetchTransport } from "../../../src/providers/transport/fetch_transport.ts";
import { createHttp1Transport } from "../../../src/providers/transport/http1_transport.ts";
import { createTransport } from "../../../src/providers/transport/transport.ts";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import {
  HOOKS_AUTHORITY,
  HOOKS_CERTIFICATE,
  HOOKS_PRIVATE_KEY,
} from "../../support/hooks_certificate.ts";
import { post } from "../../support/http1_calls.ts";
import { failureOf, never, timeouts } from "../../support/provider_parts.ts";

const REFUSED = "The request was not sent: the host has an address that is not on the public " +
  "internet";

function publicPost(url: string, changes: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return post(url, { timeouts: timeouts({ connectMs: 5_000 }), addresses: "public", ...changes });
}

/**
 * A network in which names have these addresses and every address is a port of
 * this machine; `seen` are the addresses that were dialled.
 */
function fakeNet(
  names: Readonly<Record<string, readonly string[]>>,
  { port, remote, unreachable = [] }: {
    readonly port: number;
    /** What the connection says of its other end, if not the address that was dialled. */
    readonly remote?: string;
    readonly unreachable?: readonly string[];
  },
): PublicNet & { readonly seen: string[]; readonly lookups: string[] } {
  const seen: string[] = [];
  const lookups: string[] = [];
  return {
    seen,
    lookups,
    lookup(hostname) {
      lookups.push(hostname);
      const addresses = names[hostname];
      return addresses === undefined
        ? Promise.reject(new Error(`No such name: ${hostname}`))
        : Promise.resolve(addresses);
    },
    async dial(address, dialledPort) {
      seen.push(`${address} ${dialledPort}`);
      if (unreachable.includes(address)) throw new Deno.errors.ConnectionRefused();
      const conn = await Deno.connect({ hostname: "127.0.0.1", port });
      const hostname = remote ?? address;
      Object.defineProperty(conn, "remoteAddr", {
        value: { transport: "tcp", hostname, port: dialledPort },
      });
      return conn;
    },
  };
}

async function withNet(
  net: PublicNet,
  run: (send: (request: UpstreamRequest) => Promise<string>) => Promise<void>,
): Promise<void> {
  const transport = createHttp1Transport({
    clock: systemClock,
    publicNet: net,
    caCerts: [HOOKS_AUTHORITY],
  });
  try {
    await run(async (request) => await (await transport.request(request, never())).text(100));
  } finally {
    transport.close();
  }
}

Deno.test("a public request looks its host up once and goes to the address it found", async () => {
  await using upstream = await startFakeUpstream(jsonReply({ ok: 1 }));
  const net = fakeNet({ "hooks.example": ["93.184.215.14"] }, { port: upstream.port });
  await withNet(net, async (send) => {
    assert.equal(await send(publicPost("http://hooks.example/a?b=1")), '{"ok":1}');
  });
  assert.deepEqual(net.lookups, ["hooks.example"]);
  assert.deepEqual(net.seen, ["93.184.215.14 80"]);
  assert.equal(upstream.requests[0]!.headers.get("host"), "hooks.example");
  assert.equal(upstream.requests[0]!.target, "/a?b=1");
});

Deno.test("a public request tries the addresses of its host in turn", async () => {
  await using upstream = await startFakeUpstream(jsonReply({ ok: 1 }));
  const net = fakeNet({ "hooks.example": ["2606:2800::1", "93.184.215.14"] }, {
    port: upstream.port,
    unreachable: ["2606:2800::1"],
  });
  await withNet(net, async (send) => {
    assert.equal(await send(publicPost("http://hooks.example:8080/")), '{"ok":1}');
  });
  assert.deepEqual(net.seen, ["2606:2800::1 8080", "93.184.215.14 8080"]);
});

Deno.test("a public request reports a host none of whose addresses answers as unreachable", async () => {
  const net = fakeNet({ "hooks.example": ["93.184.215.14"] }, {
    port: 1,
    unreachable: ["93.184.215.14"],
  });
  await withNet(net, async (send) => {
    const error = await failureOf(send(publicPost("http://hooks.example/")));
    assert.equal(error.failure, "broken");
    assert.equal(error.message, "The upstream could not be reached");
    const unknown = await failureOf(send(publicPost("http://nobody.example/")));
    assert.equal(unknown.failure, "broken");
  });
});

const REFUSED_URLS: readonly [url: string, names: Readonly<Record<string, readonly string[]>>][] = [
  ["http://inside.example/", { "inside.example": ["10.0.0.1"] }],
  ["http://mixed.example/", { "mixed.example": ["93.184.215.14", "127.0.0.1"] }],
  ["http://metadata.example/", { "metadata.example": ["169.254.169.254"] }],
  ["http://six.example/", { "six.example": ["fe80::1%eth0"] }],
  ["http://mapped.example/", { "mapped.example": ["::ffff:192.168.0.1"] }],
  ["http://nothing.example/", { "nothing.example": [] }],
  ["http://localhost:8080/", { "localhost": ["93.184.215.14"] }],
  ["http://localhost.:8080/", { "localhost.": ["93.184.215.14"] }],
  ["http://127.0.0.1/", {}],
  ["http://0x7f.1/", {}],
  ["http://2130706433/", {}],
  ["http://[::ffff:127.0.0.1]/", {}],
  ["https://[::1]/", {}],
  ["http://0/", {}],
];

Deno.test("a public request to any other address is refused without a connection", async () => {
  for (const [url, names] of REFUSED_URLS) {
    const net = fakeNet(names, { port: 1 });
    await withNet(net, async (send) => {
      const error = await failureOf(send(publicPost(url)));
      assert.equal(error.failure, "caller", url);
      assert.equal(error.code, ADDRESS_REFUSED, url);
      assert.equal(error.message, REFUSED, url);
      assert.equal(error.cause, undefined, "the address does not travel along");
    });
    assert.deepEqual(net.seen, [], url);
  }
});

Deno.test("a public request is refused when the connection turns out to end elsewhere", async () => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  const net = fakeNet({ "hooks.example": ["93.184.215.14"] }, {
    port: upstream.port,
    remote: "10.0.0.5",
  });
  await withNet(net, async (send) => {
    const error = await failureOf(send(publicPost("http://hooks.example/")));
    assert.equal(error.code, ADDRESS_REFUSED);
    assert.ok(!error.message.includes("10.0.0.5"));
  });
  assert.equal(upstream.requests.length, 0);
});

Deno.test("a public request is refused when its URL is none of HTTP", async () => {
  const net = fakeNet({}, { port: 1 });
  await withNet(net, async (send) => {
    for (const url of ["ftp://93.184.215.14/", "http://[fe80::1%25eth0]/", "nonsense", "http://"]) {
      const error = await failureOf(send(publicPost(url)));
      assert.equal(error.failure, "caller", url);
      assert.equal(error.code, ADDRESS_REFUSED, url);
    }
  });
  assert.deepEqual(net.seen, []);
});

Deno.test("a public request uses no connection of requests to any address", async () => {
  await using upstream = await startFakeUpstream(jsonReply({ ok: 1 }));
  const url = `http://127.0.0.1:${upstream.port}/`;
  await withNet(fakeNet({}, { port: upstream.port }), async (send) => {
    assert.equal(await send(publicPost(url, { addresses: "any" })), '{"ok":1}');
    const error = await failureOf(send(publicPost(url)));
    assert.equal(error.code, ADDRESS_REFUSED);
  });
  assert.equal(upstream.requests.length, 1);
});

Deno.test("a public request follows no redirect", async () => {
  await using upstream = await startFakeUpstream({
    status: 302,
    headers: { location: "http://127.0.0.1/" },
    steps: [],
  });
  const net = fakeNet({ "hooks.example": ["93.184.215.14"] }, { port: upstream.port });
  const transport = createHttp1Transport({ clock: systemClock, publicNet: net });
  const response = await transport.request(publicPost("http://hooks.example/"), never());
  assert.equal(response.status, 302);
  response.close();
  transport.close();
  assert.equal(net.seen.length, 1);
});

async function withTlsServer(run: (port: number) => Promise<void>): Promise<string[]> {
  const heads: string[] = [];
  const listener = Deno.listenTls({
    hostname: "127.0.0.1",
    port: 0,
    cert: HOOKS_CERTIFICATE,
    key: HOOKS_PRIVATE_KEY,
  });
  const serving = (async () => {
    for await (const conn of listener) {
      try {
        const buffer = new Uint8Array(4_096);
        const count = await conn.read(buffer);
        if (count === null) continue;
        heads.push(new TextDecoder().decode(buffer.subarray(0, count)));
        await conn.write(new TextEncoder().encode(
          "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}",
        ));
      } catch (error) {
        // A client that does not trust us breaks the handshake off: what the test is about.
        assert.ok(error instanceof Error);
      } finally {
        conn.close();
      }
    }
  })();
  try {
    await run(listener.addr.port);
  } finally {
    listener.close();
    await serving;
  }
  return heads;
}

Deno.test("a public request verifies TLS against the host's name, not the address", async () => {
  const heads = await withTlsServer(async (port) => {
    const names = {
      "hooks.example": ["93.184.215.14"],
      "other.example": ["93.184.215.14"],
    };
    await withNet(fakeNet(names, { port }), async (send) => {
      assert.equal(await send(publicPost("https://hooks.example/hook")), "{}");
      const error = await failureOf(send(publicPost("https://other.example/hook")));
      assert.equal(error.message, "The upstream could not be reached");
      const byAddress = await failureOf(send(publicPost("https://93.184.215.14/hook")));
      assert.equal(byAddress.message, "The upstream could not be reached");
    });
  });
  assert.equal(heads.length, 1);
  assert.match(heads[0]!, /^POST \/hook HTTP\/1\.1\r\nhost: hooks\.example\r\n/);
});

Deno.test("a public request to a name of this machine is refused with the system's own lookup", async () => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  const transport = createHttp1Transport({ clock: systemClock });
  const hosts = ["localhost", "127.0.0.1", "0.0.0.0", Deno.hostname()];
  for (const host of hosts) {
    const error = await failureOf(
      transport.request(publicPost(`http://${host}:${upstream.port}/`), never()),
    );
    assert.notEqual(error.failure, "operator");
  }
  transport.close();
  assert.equal(upstream.requests.length, 0);
});

Deno.test("createTransport() sends a public request past the proxy, fetch refuses it", async () => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  const url = `http://127.0.0.1:${upstream.port}/`;
  const proxied = createTransport({
    clock: systemClock,
    proxied: { http: true, https: true },
  });
  const error = await failureOf(proxied.request(publicPost(url), never()));
  assert.equal(error.code, ADDRESS_REFUSED, "only our own connections know the address");
  proxied.close();
  const byFetch = createFetchTransport({ clock: systemClock });
  const refused = await failureOf(byFetch.request(publicPost(url), never()));
  assert.equal(refused.failure, "operator");
  assert.equal(upstream.requests.length, 0);
});
