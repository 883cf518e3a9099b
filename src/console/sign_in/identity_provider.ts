/**
 * The issuer of OpenID Connect that the settings name: where it sends people to sign in, and what it
 * then says of them, proven by its keys.
 *
 * OpenID Connect Core 1.0 sections 3.1 and 5.3, Discovery 1.0 section 4, RFC 7636, RFC 9207: the
 * checks of tokens and answers are the library's.
 *
 * @module
 */

import type * as oauth from "oauth4webapi";
import type { Clock } from "../../domain/clock.ts";
import { onDemand } from "../../domain/on_demand.ts";
import { isPrivateWay, type OidcSettings } from "../../domain/oidc.ts";
import type { Transport } from "../../providers/transport/contract.ts";
import type { BegunSignIn } from "./begun_sign_ins.ts";
import { createIssuerFetch, type IssuerFetch } from "./issuer_fetch.ts";
import { OidcFault, wordFault } from "./oidc_fault.ts";
import { type Claims, roleOfClaims } from "./role_of_claims.ts";

const library = onDemand(() => import("oauth4webapi"));

/** How long what an issuer says of itself is believed, and for how long where it is silent then. */
const KNOWN_MS = 3_600_000;
const KNOWN_WHILE_SILENT_MS = 24 * 3_600_000;
/** An issuer that failed is not asked again by everybody who comes. */
const FAILED_MS = 5_000;
/** How far its clock may be off (OpenID Connect Core 1.0, 3.1.3.7: "a small leeway"). */
const SKEW_SECONDS = 60;
const MOST_AT_ONCE = 20;

/** What an identity provider works with. */
export interface IdentityProviderDeps {
  readonly transport: Pick<Transport, "request">;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  /** The value of a reference, or why there is none. */
  readonly resolveSecret: (
    reference: string,
  ) => { readonly ok: true; readonly value: string } | {
    readonly ok: false;
    readonly message: string;
  };
  /** Told why it failed; no secret is in it. */
  readonly onFault: (message: string) => void;
}

/** Somebody whom the issuer has signed in. */
export interface Person {
  /** Unique at the issuer, and for good. */
  readonly subject: string;
  readonly email: string | undefined;
  readonly claims: Claims;
}

interface Known {
  readonly server: oauth.AuthorizationServer;
  /** Monotonic milliseconds. */
  readonly at: number;
}

export class IdentityProvider {
  readonly settings: OidcSettings;
  readonly #deps: IdentityProviderDeps;
  readonly #fetch: IssuerFetch;
  #known: Known | undefined;
  #asking: Promise<oauth.AuthorizationServer> | undefined;
  #failed: { readonly error: unknown; readonly at: number } | undefined;
  #under = 0;

  constructor(settings: OidcSettings, deps: IdentityProviderDeps) {
    this.settings = settings;
    this.#deps = deps;
    this.#fetch = createIssuerFetch(deps.transport);
  }

  /** As people know it. */
  get host(): string {
    return new URL(this.settings.issuer).host;
  }

  /**
   * Where the browser goes to sign in.
   *
   * @throws {OidcFault} When the issuer cannot be asked, or is not what it should be.
   */
  address({ state, nonce, verifier }: BegunSignIn, redirectUri: string): Promise<string> {
    return this.#orWord(async ({ calculatePKCECodeChallenge }) => {
      const { authorization_endpoint: endpoint = "" } = await this.#server();
      if (!isPrivateWay(endpoint)) {
        throw new TypeError("its authorization_endpoint is no https address");
      }
      const url = new URL(endpoint);
      const parameters = {
        response_type: "code",
        client_id: this.settings.clientId,
        redirect_uri: redirectUri,
        scope: this.settings.scopes,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    });
  }

  /**
   * Who came back, by the code that he came with.
   *
   * @throws {OidcFault} When that is not proven, or nobody can tell.
   */
  async person(
    returned: URLSearchParams,
    begun: BegunSignIn,
    redirectUri: string,
  ): Promise<Person> {
    if (this.#under >= MOST_AT_ONCE) {
      throw new OidcFault(503, "Many people sign in at this moment: try again in a few seconds");
    }
    this.#under++;
    try {
      return await this.#orWord((lib) => this.#exchange(lib, { returned, begun, redirectUri }));
    } finally {
      this.#under--;
    }
  }

  /**
   * Asks the issuer for what it says of itself, whatever is known.
   *
   * @throws {OidcFault}
   */
  async look(): Promise<void> {
    await this.#orWord(() => this.#discover());
  }

  async #exchange(
    lib: typeof oauth,
    { returned, begun: { state, nonce, verifier }, redirectUri }: {
      readonly returned: URLSearchParams;
      readonly begun: BegunSignIn;
      readonly redirectUri: string;
    },
  ): Promise<Person> {
    const server = await this.#server();
    const client: oauth.Client = {
      client_id: this.settings.clientId,
      [lib.clockSkew]: Math.round((this.#deps.clock.now() - Date.now()) / 1_000),
      [lib.clockTolerance]: SKEW_SECONDS,
    };
    const options = this.#options(lib);
    const checked = lib.validateAuthResponse(server, client, returned, state);
    const answer = await lib.authorizationCodeGrantRequest(
      server,
      client,
      this.#authentication(lib, server),
      checked,
      redirectUri,
      verifier,
      options,
    );
    const tokens = await lib.processAuthorizationCodeResponse(server, client, answer, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await lib.validateApplicationLevelSignature(server, answer, options);
    const told: Claims = lib.getValidatedIdTokenClaims(tokens)!;
    const subject = String(told.sub);
    const claims = this.#isEnough(told) || server.userinfo_endpoint === undefined
      ? told
      : { ...await this.#userInfo(lib, { server, client, tokens, subject }), ...told };
    const { email } = claims;
    return { subject, claims, email: typeof email === "string" ? email : undefined };
  }

  /** Many issuers say who, and leave groups to the other question. */
  #isEnough(claims: Claims): boolean {
    return roleOfClaims(claims, this.settings.roles) !== undefined && claims.email !== undefined;
  }

  async #userInfo(
    lib: typeof oauth,
    { server, client, tokens, subject }: {
      readonly server: oauth.AuthorizationServer;
      readonly client: oauth.Client;
      readonly tokens: oauth.TokenEndpointResponse;
      readonly subject: string;
    },
  ): Promise<Claims> {
    const options = this.#options(lib);
    const answer = await lib.userInfoRequest(server, client, tokens.access_token, options);
    const isSigned = /^application\/jwt\b/i.test(answer.headers.get("content-type") ?? "");
    const claims = await lib.processUserInfoResponse(server, client, subject, answer);
    if (isSigned) await lib.validateApplicationLevelSignature(server, answer, options);
    return claims;
  }

  #authentication(lib: typeof oauth, server: oauth.AuthorizationServer): oauth.ClientAuth {
    const { clientSecret } = this.settings;
    if (clientSecret === undefined) return lib.None();
    const secret = this.#deps.resolveSecret(clientSecret);
    if (!secret.ok) throw new TypeError(`the gateway has no secret for it: ${secret.message}`);
    const ways = server.token_endpoint_auth_methods_supported;
    // What is meant where nothing is said: Discovery 1.0, section 3.
    const isBasic = ways === undefined || ways.includes("client_secret_basic");
    return isBasic ? lib.ClientSecretBasic(secret.value) : lib.ClientSecretPost(secret.value);
  }

  #options(lib: typeof oauth) {
    const isPlain = this.settings.issuer.startsWith("http:");
    return {
      [lib.customFetch]: this.#fetch as never,
      [lib.allowInsecureRequests]: isPlain,
    };
  }

  /** Of the issuer: known for an hour, asked for by one of those who wait. */
  async #server(): Promise<oauth.AuthorizationServer> {
    const now = this.#deps.clock.monotonic();
    if (this.#known !== undefined && now - this.#known.at < KNOWN_MS) return this.#known.server;
    if (this.#failed !== undefined && now - this.#failed.at < FAILED_MS) return this.#silent(now);
    this.#asking ??= this.#discover().finally(() => this.#asking = undefined);
    try {
      return await this.#asking;
    } catch (error) {
      this.#failed = { error, at: this.#deps.clock.monotonic() };
      return this.#silent(now);
    }
  }

  #silent(now: number): oauth.AuthorizationServer {
    if (this.#known !== undefined && now - this.#known.at < KNOWN_WHILE_SILENT_MS) {
      return this.#known.server;
    }
    throw this.#failed!.error;
  }

  async #discover(): Promise<oauth.AuthorizationServer> {
    const lib = await library();
    const issuer = new URL(this.settings.issuer);
    const answer = await lib.discoveryRequest(issuer, this.#options(lib));
    const server = await lib.processDiscoveryResponse(issuer, answer);
    this.#known = { server, at: this.#deps.clock.monotonic() };
    return server;
  }

  async #orWord<Value>(work: (lib: typeof oauth) => Promise<Value>): Promise<Value> {
    const lib = await library();
    try {
      return await work(lib);
    } catch (error) {
      const fault = wordFault(error, { lib, host: this.host });
      this.#deps.onFault(fault.message);
      throw fault;
    }
  }
}
