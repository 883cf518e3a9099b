/**
 * What `doctor` says of the issuer whose people sign in at the console.
 *
 * @module
 */

import assert from "node:assert/strict";
import { examineOidc } from "../../../src/app/doctor/examine_oidc.ts";
import type { Patient } from "../../../src/app/doctor/patient.ts";
import { systemClock } from "../../../src/domain/clock.ts";
import { startScriptedIssuer } from "../../support/scripted_issuer.ts";

const look = (oidcIssuer: string | undefined, isOffline = false) =>
  examineOidc({
    oidcIssuer,
    isOffline,
    proxied: { http: false, https: false },
    clock: systemClock,
  } as Patient);

Deno.test("doctor asks the issuer what it says of itself", async () => {
  await using issuer = startScriptedIssuer();
  assert.deepEqual((await look(issuer.url)).map(({ status }) => status), ["ok"]);
  issuer.manners = { metadata: { issuer: "https://other.example" } };
  const [other] = await look(issuer.url);
  assert.equal(other!.status, "warning");
  assert.match(other!.detail, /Nobody can sign in .*does not match/);
  assert.match(other!.remedy!, /Compare --oidc-issuer/);
  const asked = issuer.asked.length;
  assert.deepEqual(await look(issuer.url, true), []);
  assert.deepEqual(await look(undefined), []);
  assert.equal(issuer.asked.length, asked);
  const [gone] = await look("http://127.0.0.1:9");
  assert.match(gone!.detail, /Nobody can sign in at the console by http:\/\/127\.0\.0\.1:9: /);
});
