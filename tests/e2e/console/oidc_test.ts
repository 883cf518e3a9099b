/**
 * Signing in by OpenID Connect as people do: the executable, a whole server of OpenID Connect, and
 * Chromium between them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startRealIssuer } from "../../support/real_issuer.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { chromiumPath, startBrowser } from "../videos/browser.ts";
import { assertFits, textOf } from "./console_page.ts";

const SECRET = "of the client";
const ignore = chromiumPath === undefined && Deno.env.get("CI") !== "true";

Deno.test(
  "a viewer signs in at the issuer, lands on the page asked for, and signs out",
  { ignore },
  async () => {
    const port = freePort();
    const url = `http://127.0.0.1:${port}`;
    await using issuer = await startRealIssuer(`${url}/console/oidc/callback`, SECRET);
    await using gateway = await serveGateway({
      listen: `127.0.0.1:${port}`,
      args: [
        ...["--oidc-issuer", issuer.url],
        ...["--oidc-client-id", "tollgate", "--oidc-client-secret", "env:OIDC_SECRET"],
        ...["--oidc-scopes", "openid email groups", "--oidc-roles", "groups:finance=viewer"],
      ],
      env: { OIDC_SECRET: SECRET },
    });
    assert.equal(gateway.url, url);
    await using page = await startBrowser();
    await page.open(`${url}/console/projects?x=1`);
    assert.equal(await page.evaluate("location.pathname"), "/console/sign-in");
    await assertFits(page);
    await page.follow("document.querySelector('a[href^=\"/console/oidc\"]').click()");
    assert.equal(await page.evaluate("location.origin"), issuer.url);
    await page.evaluate(
      "document.forms[0].login.value = 'anna'; document.forms[0].password.value = 'x'",
    );
    await page.follow("document.forms[0].requestSubmit()");
    await page.follow("document.forms[0].requestSubmit()");
    assert.equal(await page.evaluate("location.href"), `${url}/console/projects?x=1`);
    assert.match(await textOf(page), /Projects/);
    // The issuer's own pages load a font from elsewhere.
    assert.deepEqual(page.faults.filter((fault) => fault.includes(url)), []);
    await page.follow("document.querySelector('form[action$=\"/leave\"]').requestSubmit()");
    await page.open(`${url}/console/projects`);
    assert.equal(await page.evaluate("location.pathname"), "/console/sign-in");
    const { data } = await gateway.admin("GET", "/audit");
    const row = data.find(({ operation }: { operation: string }) =>
      operation === "console.sign_in"
    );
    assert.equal(row.user, "oidc anna (anna@example.com)");
    assert.ok(!gateway.server.stderr.includes(SECRET));
  },
);

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
