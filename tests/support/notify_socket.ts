/**
 * The other end of systemd's notify protocol: takes the messages that a service
 * sends to `NOTIFY_SOCKET`.
 *
 * @module
 */

import { until } from "./until.ts";

/** One message: its `NAME=value` lines. */
export type NotifyMessage = ReadonlyMap<string, string>;

/** A socket that remembers what it is told, in order. `using` closes it and removes its folder. */
export class NotifyReceiver implements Disposable {
  /** Where services send to, for `NOTIFY_SOCKET`. */
  readonly path: string;
  readonly messages: NotifyMessage[] = [];
  readonly #folder: string;
  readonly #socket: Deno.DatagramConn;

  constructor() {
    this.#folder = Deno.makeTempDirSync({ prefix: "tollgate-supervisor-" });
    this.path = `${this.#folder}/notify`;
    this.#socket = Deno.listenDatagram({ transport: "unixpacket", path: this.path });
    void this.#receive();
  }

  /** How many messages have the line `NAME=value`. */
  count(line: string): number {
    const [name = "", value] = line.split("=");
    return this.messages.filter((message) => message.get(name) === value).length;
  }

  /** The first message with such a line, after those of index `from` and below. */
  heard(line: string, from = 0): Promise<NotifyMessage> {
    const [name = "", value] = line.split("=");
    return until(
      `the message ${line}`,
      () => this.messages.slice(from).find((message) => message.get(name) === value),
    );
  }

  [Symbol.dispose](): void {
    this.#socket.close();
    Deno.removeSync(this.#folder, { recursive: true });
  }

  async #receive(): Promise<void> {
    for await (const [bytes] of this.#socket) {
      const lines = new TextDecoder().decode(bytes).split("\n");
      this.messages.push(
        new Map(lines.map((line) => {
          const split = line.indexOf("=");
          return [line.slice(0, split), line.slice(split + 1)];
        })),
      );
    }
  }
}
