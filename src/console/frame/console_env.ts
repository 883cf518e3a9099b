/**
 * What the console's handlers know of a request.
 *
 * @module
 */

import type { Context } from "@hono/hono";
import type { AdminClient } from "../../admin/base/client.ts";
import type { ChangeOrigin } from "../../admin/base/deps.ts";
import type { Operation } from "../../admin/base/operation.ts";
import type { GatewayError } from "../../errors.ts";
import type { Rights } from "../../domain/roles.ts";
import type { Session } from "./sessions.ts";

/** Fields of a form, by name: what was left empty is not there. */
export type FormFields = Readonly<Record<string, string>>;

/** A form that was refused and changed nothing: its page is shown again, with what was typed. */
export interface RefusedForm {
  /** Where it was sent, from `/console` on. */
  readonly action: string;
  readonly fields: FormFields;
  readonly error: GatewayError;
}

/** What pages have of the API. */
export interface ConsoleApi {
  /** @throws {GatewayError} Where it is not made, or is no more. */
  film(
    taskId: string,
    variant: "video" | "thumbnail",
    headers: Readonly<Record<string, string>>,
  ): Promise<Response>;
  /** @throws {GatewayError} Where there is none. */
  file(
    projectId: string,
    fileId: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response>;
  /** A page of the admin API's reference: an operation by its id, a search, or all. */
  reference(asked: {
    readonly operation?: string | undefined;
    readonly q?: string | undefined;
  }): Promise<Response>;
  /**
   * Serves the page's own request as a call of a project's key, with its body as it is.
   *
   * @throws {GatewayError} Where the key serves nobody, or nothing of the kind is called.
   */
  call(call: {
    readonly keyId: string;
    /** From `/v1` on. */
    readonly path: string;
    readonly tags: { readonly [name: string]: string };
    readonly headers: Readonly<Record<string, string>>;
  }): Promise<Response>;
}

/** What the HTTP surface hands to the console with each request. */
export interface ConsoleBindings {
  readonly identity: { readonly requestId: string };
  /** The peer's IP address, or `unix`. */
  readonly remoteAddress: string;
  /** The API of this process. Its answers have the headers that they are given, besides their own. */
  readonly api: ConsoleApi;
  /** Where a page is shown again because its form was refused. */
  readonly refused?: RefusedForm;
  /** @throws {GatewayError} When the body is longer, or too many are read at once. */
  readText(maxBytes: number): Promise<string>;
}

/** The type of the console's Hono apps. */
export interface ConsoleEnv {
  Bindings: ConsoleBindings;
  Variables: {
    /** Of whoever is signed in; set on every page behind the sign-in. */
    session: Session;
    /** What whoever is signed in may do, now. */
    rights: Rights;
    /** As the audit log names him. */
    user: string;
    /** What the forms of the session carry. */
    formToken: string;
    /** What a form sends, with the token that it was checked by. */
    form: FormFields;
    /** Who is signed in, and what he may do. */
    origin: ChangeOrigin;
    /** Runs operations as whoever is signed in. */
    admin: AdminClient;
    /** Begins a long operation as a job of whoever is signed in; throws as the operation does. */
    begin: (operation: Operation, input: object) => Promise<unknown>;
  };
}

/** The type of a page's context. */
export type ConsoleContext = Context<ConsoleEnv>;
