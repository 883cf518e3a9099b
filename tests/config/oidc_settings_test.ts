/**
 * The settings of signing in by OpenID Connect: how they are spelled, and what is refused.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parseClaimRole } from "../../src/config/oidc_fields.ts";
import { faults, load } from "./loaded.ts";

const GOOD = {
  oidc_issuer: "https://login.example.com",
  oidc_client_id: "tollgate",
  oidc_roles: "groups:admins=owner",
};

Deno.test("parseClaimRole() reads what it documents, and nothing else", () => {
  const rank = (claim: string, value: string) => ({ claim, value, rights: { role: "viewer" } });
  assert.deepEqual(parseClaimRole("groups:finance=viewer"), rank("groups", "finance"));
  assert.deepEqual(parseClaimRole("a.b:urn:x=y=viewer"), rank("a.b", "urn:x=y"));
  assert.deepEqual(
    parseClaimRole("https%3A//x.example/g:a%2Cb=viewer"),
    rank("https://x.example/g", "a,b"),
  );
  assert.deepEqual(parseClaimRole("groups:Müller & Co=viewer"), rank("groups", "Müller & Co"));
  for (
    const bad of [
      "",
      "groups=owner",
      "groups:admins",
      "groups:admins=",
      "groups:=owner",
      ":admins=owner",
      "groups:admins=member",
      "groups:admins=member:",
      "groups:admins=owner:shop",
      "groups:admins=boss",
      "groups:%zz=owner",
    ]
  ) assert.equal(parseClaimRole(bad), undefined, bad);
});

Deno.test("loadSettings() refuses settings of an issuer by which nobody could sign in", async () => {
  assert.equal((await load(GOOD)).settings.oidc?.clientSecret, undefined);
  const bad: readonly (readonly [Record<string, string | undefined>, RegExp])[] = [
    [{ oidc_roles: undefined }, /oidc_issuer: Nobody could sign in.*set --oidc-roles as well/],
    [
      { oidc_issuer: undefined, oidc_client_id: undefined },
      /oidc_roles: Nobody could.*set --oidc-issuer and --oidc-client-id as well/,
    ],
    [{ oidc_issuer: "http://login.example.com" }, /http:\/\/ only on this machine/],
    [{ oidc_issuer: "http://127.0.0.1.example.com" }, /http:\/\/ only on this machine/],
    [{ oidc_issuer: "https://a:b@login.example.com" }, /Expected https/],
    [{ oidc_issuer: "https://login.example.com?x" }, /Expected https/],
    [{ oidc_issuer: "javascript:alert(1)" }, /Expected https/],
    [{ oidc_roles: "groups:admins=owner,groups:x=king" }, /Expected CLAIM:VALUE=ROLE/],
    [{ oidc_scopes: "email" }, /Expected openid among them/],
    [{ oidc_client_secret: "hunter2-is-my-secret" }, /Expected a reference, not the secret/],
    [{ oidc_client_secret: "env:NOT_SET" }, /env:NOT_SET has no value/],
  ];
  for (const [change, said] of bad) {
    const found = await faults({ ...GOOD, ...change });
    assert.equal(found.length, 1, found.join("\n"));
    assert.match(found[0]!, said);
    assert.ok(!found[0]!.includes("hunter2"));
  }
  for (const issuer of ["http://localhost:9000/x", "http://[::1]:1", "http://127.8.0.1"]) {
    assert.equal((await load({ ...GOOD, oidc_issuer: issuer })).settings.oidc?.issuer, issuer);
  }
});
