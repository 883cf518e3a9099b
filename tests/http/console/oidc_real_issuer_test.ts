/**
 * Signing in at the console by OpenID Connect, with a whole server of it as others run it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { listAudit } from "../../../src/admin/operations.ts";
import { runOperation } from "../../../src/admin/base/run_operation.ts";
import { startTestGateway } from "../../support/gateway.ts";
import { startRealIssuer } from "../../support/real_issuer.ts";

const SECRET = "a secret of the client: 100%";

/** As a browser keeps them: by origin, as few as there are. */
class Jar {
  readonly #cookies = new Map<string, Map<string, string>>();

  async fetch(url: string, form?: URLSearchParams): Promise<Response> {
    const { origin } = new URL(url);
    const cookies = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, cookies);
    const answer = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form && { method: "POST", body: form }),
    });
    for (const one of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(one)!;
      cookies.set(name!, value!);
    }
    return answer;
  }

  /** Follows redirects until there is a page; fills the forms of the issuer in as somebody. */
  async walk(
    start: string,
    person: string,
  ): Promise<{ readonly url: string; readonly text: string; readonly status: number }> {
    let url = start;
    let answer = await this.fetch(url);
    for (let steps = 0; steps < 20; steps++) {
      const location = answer.headers.get("location");
      const text = await answer.text();
      if (location !== null) {
        url = new URL(location, url).href;
        answer = await this.fetch(url);
        continue;
      }
      const [, action] = /<form[^>]* action="([^"]*\/interaction\/[^"]*)"/.exec(text) ?? [];
      if (action === undefined) return { url, text, status: answer.status };
      const prompt = /name="prompt" value="(\w+)"/.exec(text)![1]!;
      url = new URL(action, url).href;
      answer = await this.fetch(url, new URLSearchParams({ prompt, login: person, password: "x" }));
    }
    throw new Error(`No page after 20 steps: ${url}`);
  }
}

Deno.test("people of a whole server of OpenID Connect sign in, and others do not", async () => {
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  await using issuer = await startRealIssuer(`${url}/console/oidc/callback`, SECRET);
  await using gateway = await startTestGateway({
    port,
    secrets: { OIDC_SECRET: SECRET },
    oidc: {
      issuer: issuer.url,
      clientId: "tollgate",
      clientSecret: "env:OIDC_SECRET",
      scopes: "openid email groups",
      roles: [{ claim: "groups", value: "finance", rights: { role: "viewer" } }],
    },
  });
  assert.equal(gateway.url, url);
  const landed = await new Jar().walk(`${url}/console/oidc?next=/console/calls`, "anna");
  assert.equal(landed.url, `${url}/console/calls`, landed.text);
  assert.equal(landed.status, 200);
  const { data } = await runOperation(listAudit, { deps: gateway.admin, input: {} });
  const row = data.find(({ operation }) => operation === "console.sign_in");
  assert.equal(row!.user, "oidc anna (anna@example.com)");
  assert.equal(row!.after!.role, "viewer");
  const refused = await new Jar().walk(`${url}/console/oidc`, "bob");
  assert.equal(refused.status, 403);
  assert.match(refused.text, /you are bob@example\.com \(bob\), and that has no role here/);
});

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
