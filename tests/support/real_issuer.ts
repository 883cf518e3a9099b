/**
 * A whole server of OpenID Connect, as others run it, with two people and a page that asks who one is.
 *
 * @module
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** One that listens. */
export interface RealIssuer extends AsyncDisposable {
  readonly url: string;
}

/** @param redirectUri Where it sends people back to. */
export async function startRealIssuer(redirectUri: string, secret: string): Promise<RealIssuer> {
  // Its address is part of what it says, so it listens before there is anything to answer with.
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, {
    clients: [{
      client_id: "tollgate",
      client_secret: secret,
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code"],
      response_types: ["code"],
    }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
    scopes: ["openid", "email", "groups"],
    pkce: { required: () => true },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@example.com`,
        email_verified: true,
        groups: id === "anna" ? ["staff", "finance"] : ["strangers"],
      }),
    }),
    cookies: { keys: ["a key of a test"] },
  } as never);
  const answer = provider.callback();
  server.on("request", (request, response) => void answer(request, response));
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
