/**
 * An issuer of OpenID Connect that does what a test says: it signs real tokens, and false ones.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

type Json = { readonly [name: string]: unknown };

/** What is other than it should be; everything absent is right. */
export interface Manners {
  readonly alg?: "RS256" | "ES256" | "none";
  /** Signs with a key that is not among the published ones. */
  readonly isForged?: boolean;
  readonly kid?: string;
  /** Over those of the ID token; `undefined` takes one away. */
  readonly claims?: Json;
  readonly userInfo?: Json;
  /** Answers of its paths, by path. */
  readonly answers?: {
    readonly [path: string]: (request: Request) => Response | Promise<Response>;
  };
  /** Over what discovery says. */
  readonly metadata?: Json;
}

/** One that listens. */
export interface ScriptedIssuer extends AsyncDisposable {
  readonly url: string;
  manners: Manners;
  /** Paths that were asked for. */
  readonly asked: string[];
  /** What came to the token endpoint last. */
  readonly tokenRequest: () => { readonly headers: Headers; readonly form: URLSearchParams };
  /** Says who is signed in by an address that a browser was sent to; gives the code. */
  approve(address: string): string;
}

const pair = (alg: "RS256" | "ES256") =>
  alg === "RS256"
    ? generateKeyPairSync("rsa", { modulusLength: 2048 })
    : generateKeyPairSync("ec", { namedCurve: "P-256" });

const PAIRS = { RS256: pair("RS256"), ES256: pair("ES256") };
const FORGED = { RS256: pair("RS256"), ES256: pair("ES256") };

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

function signed(alg: string, text: string, key: KeyObject): string {
  if (alg === "none") return "";
  return sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString(
    "base64url",
  );
}

export function startScriptedIssuer(clientId = "tollgate"): ScriptedIssuer {
  const asked: string[] = [];
  const codes = new Map<string, { readonly nonce: string; readonly challenge: string }>();
  let tokenRequest = { headers: new Headers(), form: new URLSearchParams() };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, answer);
  const url = `http://127.0.0.1:${server.addr.port}`;
  const issuer: ScriptedIssuer = {
    url,
    manners: {},
    asked,
    tokenRequest: () => tokenRequest,
    approve(address) {
      const { searchParams } = new URL(address);
      const code = `code-${codes.size + 1}`;
      codes.set(code, {
        nonce: searchParams.get("nonce")!,
        challenge: searchParams.get("code_challenge")!,
      });
      return code;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    const { manners } = issuer;
    const scripted = manners.answers?.[pathname];
    if (scripted !== undefined) return await scripted(request);
    if (pathname === "/.well-known/openid-configuration") {
      return Response.json({
        issuer: url,
        authorization_endpoint: `${url}/auth`,
        token_endpoint: `${url}/token`,
        userinfo_endpoint: `${url}/me`,
        jwks_uri: `${url}/jwks`,
        id_token_signing_alg_values_supported: ["RS256", "ES256"],
        ...manners.metadata,
      });
    }
    if (pathname === "/jwks") {
      const keys = (["RS256", "ES256"] as const).map((alg) => ({
        ...PAIRS[alg].publicKey.export({ format: "jwk" }),
        alg,
        kid: alg,
        use: "sig",
      }));
      return Response.json({ keys });
    }
    if (pathname === "/me") {
      return Response.json({ sub: "u-1", email: "anna@example.com", ...manners.userInfo });
    }
    if (pathname === "/token") return await giveTokens(request);
    return new Response("none", { status: 404 });
  }

  async function giveTokens(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    tokenRequest = { headers: request.headers, form };
    const begun = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256").update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (begun === undefined || begun.challenge !== challenge) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    const { alg = "RS256", kid = alg, isForged = false, claims } = issuer.manners;
    const now = Math.floor(Date.now() / 1_000);
    const says = {
      iss: url,
      sub: "u-1",
      aud: clientId,
      iat: now,
      exp: now + 300,
      nonce: begun.nonce,
      groups: ["staff"],
      ...claims,
    };
    const text = `${base64({ alg, kid, typ: "JWT" })}.${base64(says)}`;
    const { privateKey } = (isForged ? FORGED : PAIRS)[alg === "none" ? "RS256" : alg];
    return Response.json({
      access_token: "an-access-token",
      token_type: "Bearer",
      id_token: `${text}.${signed(alg, text, privateKey)}`,
    });
  }

  return issuer;
}
