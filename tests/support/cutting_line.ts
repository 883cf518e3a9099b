/**
 * A way to a server that is cut around the end of a transaction, or goes silent for a while.
 *
 * @module
 */

/** Where the line is cut: before the server hears of the end, or before anybody hears its answer. */
export type Cut = "before_commit" | "before_answer";

/** In which direction a line is silent: nothing is closed, and what is said waits. */
export type Silence = "both" | "to_client";

/** The line; `using` closes it. */
export interface CuttingLine extends Disposable {
  readonly port: number;
  /** Cuts the connection that ends the next transaction; the others go on. */
  cutNext(cut: Cut): void;
  /** From now on nothing arrives there, of connections that are begun meanwhile either. */
  hold(silence: Silence): void;
  /**
   * The same from the end of the next transaction on in which a client has said something like this: it is
   * written, and its connection closed before the answer.
   */
  holdAfter(said: RegExp): void;
  /** Whether nothing arrives. */
  readonly isHeld: boolean;
  /** Everything arrives that was said meanwhile, in order. */
  release(): void;
  /** Connections that are begun from now on lead to another server. */
  leadTo(serverPort: number): void;
  /** How often it was cut. */
  readonly cuts: number;
  /** What clients have said since it was last held. */
  readonly said: string;
}

/** How a line is. */
export interface CuttingLineOptions {
  /** Whether who asks to be told of changes is. Default: yes; else it is accepted, and nothing is ever heard. */
  readonly tells?: boolean;
}

const COMMIT = "COMMIT";
/** How transactions end: what a client says, and what its answer has in it. */
const ENDS = [
  { asked: /COMMIT/, answered: COMMIT },
  // One statement that is a transaction by itself, which the server keeps by its name.
  { asked: /tollgate_[0-9a-f]{32}|WITH fence AS/, answered: "SELECT 1" },
];
const LISTEN = "LISTEN ";
/** As long, and nothing to the server. */
const NOTHING = "--STEN ";

/** Listens before a server. */
export function cutLine(
  serverPort: number,
  { tells = true }: CuttingLineOptions = {},
): CuttingLine {
  let leadsTo = serverPort;
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  let isClosed = false;
  let next: Cut | undefined;
  let holding: RegExp | undefined;
  let cuts = 0;
  let said = "";
  let silence: Silence | undefined;
  let released = Promise.withResolvers<void>();
  const serve = async (client: Deno.Conn) => {
    const server = await connected(leadsTo);
    // A line to nowhere is closed, as the server itself would refuse it.
    if (server === undefined) return client.close();
    open.add(client).add(server);
    let deafTo: string | undefined;
    const close = () => closeOnce(open, [client, server]);
    // Closed while it was connected: nobody else would close these two.
    if (isClosed) return close();
    let transaction = "";
    const pass = async (from: Deno.Conn, to: Deno.Conn, isFromClient: boolean) => {
      const buffer = new Uint8Array(65_536);
      for (;;) {
        const count = await from.read(buffer).catch(() => null);
        if (count === null) return close();
        const bytes = buffer.subarray(0, count);
        if (isFromClient && !tells) replaceText(bytes, { text: LISTEN, by: NOTHING });
        const text = new TextDecoder().decode(bytes);
        // Whoever hears nothing any more: that the answer has come shows that it was written.
        if (!isFromClient && deafTo !== undefined && text.includes(deafTo)) return close();
        while (silence === "both" || (silence === "to_client" && !isFromClient)) {
          await released.promise;
        }
        if (isFromClient) said += text;
        const end = ENDS.find(({ asked }) => asked.test(text));
        if (isFromClient && next !== undefined && end !== undefined) {
          const cut = next;
          next = undefined;
          cuts++;
          if (cut === "before_commit") return close();
          deafTo = end.answered;
        }
        if (isFromClient && holding !== undefined) transaction += text;
        const over = ENDS.find(({ asked }) => asked.test(transaction));
        if (isFromClient && over !== undefined) {
          if (holding?.test(transaction) === true) {
            deafTo = over.answered;
            silence = "both";
            holding = undefined;
          }
          transaction = "";
        }
        await writeAll(to, bytes).catch(close);
      }
    };
    await Promise.all([pass(client, server, true), pass(server, client, false)]);
  };
  const serving = (async () => {
    for await (const client of listener) serve(client);
  })();
  return {
    port: listener.addr.port,
    cutNext: (cut) => next = cut,
    hold(held) {
      silence = held;
      said = "";
    },
    holdAfter(said) {
      holding = said;
    },
    get isHeld() {
      return silence !== undefined;
    },
    release() {
      silence = undefined;
      released.resolve();
      released = Promise.withResolvers();
    },
    leadTo(port) {
      leadsTo = port;
    },
    get cuts() {
      return cuts;
    },
    get said() {
      return said;
    },
    [Symbol.dispose]() {
      isClosed = true;
      listener.close();
      closeOnce(open, [...open]);
      serving.catch(() => {});
    },
  };
}

/** Closes those of the ends that nobody has closed yet. */
function closeOnce(open: Set<Deno.Conn>, ends: readonly Deno.Conn[]): void {
  for (const end of ends) if (open.delete(end)) end.close();
}

/** Where it is there, in the place of as many bytes. */
function replaceText(
  bytes: Uint8Array,
  { text, by }: { readonly text: string; readonly by: string },
): void {
  const at = new TextDecoder("latin1").decode(bytes).indexOf(text);
  if (at >= 0) bytes.set(new TextEncoder().encode(by), at);
}

/** A line that is full takes a part of it. */
async function writeAll(to: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += await to.write(bytes.subarray(written));
  }
}

async function connected(port: number): Promise<Deno.Conn | undefined> {
  try {
    return await Deno.connect({ hostname: "127.0.0.1", port });
  } catch (error) {
    const isGone = error instanceof Deno.errors.ConnectionRefused ||
      error instanceof Deno.errors.ConnectionReset;
    if (isGone) return undefined;
    throw error;
  }
}
