/**
 * The account of a LiteLLM deployment: address, key, and what a vendor wants besides.
 *
 * @module
 */

import { asObject, type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";
import type { AccountSettings, ImportDraft } from "./import_draft.ts";
import type { ModelOwner } from "./litellm_vendor.ts";

/** Fields that are read here. */
export const ACCOUNT_FIELDS: readonly string[] = [
  "api_key",
  "api_base",
  "base_url",
  "api_version",
  "organization",
  "extra_headers",
  "headers",
  "timeout",
  "tenant_id",
  "client_id",
  "client_secret",
  "aws_region_name",
  "aws_access_key_id",
  "aws_secret_access_key",
  "aws_session_token",
  "vertex_project",
  "vertex_location",
  "vertex_credentials",
];

/** Milliseconds that a time limit may have here. */
const LONGEST_MS = 3_600_000;

interface Reader {
  /** A reference to a secret, whose value is never copied. */
  secret(field: string, vendor: string): string | undefined;
  text(field: string): string | undefined;
  note(words: string): void;
}

/** What of its fields is the account's. */
export function accountOf(
  params: JsonObject,
  { owner, place, draft }: {
    readonly owner: ModelOwner;
    readonly place: string;
    readonly draft: ImportDraft;
  },
): AccountSettings {
  const at = (field: string) => `${place}.litellm_params.${field}`;
  const text = (field: string) => nonEmptyString(params[field]);
  const reader: Reader = {
    text,
    note: (words) => draft.notes.note(words),
    secret(field, vendor) {
      const value = text(field);
      if (value === undefined) return undefined;
      const reference = referenceOf(value);
      if (reference !== undefined) return reference;
      const variable = draft.variableFor(value, variableName(vendor, field));
      draft.notes.note(`${at(field)} is a secret: put it in the variable ${variable}`);
      return `env:${variable}`;
    },
  };
  const base = addressOf(reader, { owner, at });
  const key = reader.secret("api_key", owner.name);
  const timeout = Number(params.timeout);
  return {
    ...base,
    ...(key !== undefined && { api_key: key, ...(isKeyless(owner) && { auth: "bearer" }) }),
    ...(key === undefined && owner.server && { api_key: `env:${owner.server.key}` }),
    ...headersOf(params, { reader, at, owner }),
    ...(params.timeout !== undefined && timeout > 0 && timeout * 1000 <= LONGEST_MS &&
      { timeouts: { total_ms: Math.ceil(timeout * 1000) } }),
    ...vendorSettings(reader, {
      owner,
      hasBase: base.base_url !== undefined,
      hasKey: key !== undefined,
    }),
  };
}

/** `os.environ/NAME`, as LiteLLM reads it. */
export function referenceOf(value: string): string | undefined {
  const name = /^os\.environ\/([A-Za-z_][A-Za-z0-9_]*)$/.exec(value)?.[1];
  return name === undefined ? undefined : `env:${name}`;
}

function variableName(vendor: string, field: string): string {
  // Of its own: one that the file or a vendor names may hold another's key.
  return `imported_${vendor}_${field}`.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");
}

function isKeyless({ vendor }: ModelOwner): boolean {
  return vendor === "vllm" || vendor === "ollama" || vendor === "lmstudio";
}

function addressOf(
  { text, note }: Reader,
  { owner, at }: { readonly owner: ModelOwner; readonly at: (field: string) => string },
): { readonly base_url?: string; readonly kind?: string } {
  const field = text("api_base") === undefined ? "base_url" : "api_base";
  const told = text(field);
  const kind = owner.name === "foundry" ? { kind: "anthropic" } : {};
  const variable = told === undefined ? undefined : referenceOf(told)?.slice("env:".length);
  if (variable !== undefined) {
    note(`${at(field)} is in the variable ${variable}: write its value as base_url`);
    // Nothing goes to anybody else meanwhile.
    return {
      ...kind,
      base_url: `https://${variable.toLowerCase().replaceAll("_", "-")}.invalid/v1`,
    };
  }
  if (told === undefined) {
    if (owner.vendor !== undefined) return kind;
    if (owner.server !== undefined) return { ...kind, base_url: owner.server.base_url };
    note(`${at("api_base")} is not told: write it as base_url`);
    return { ...kind, base_url: "https://server.invalid/v1" };
  }
  const address = told.replace(/\/+$/, "").replace(/\/(?:chat\/completions|v1\/messages)$/, "");
  const isOllama = owner.vendor === "ollama" && !/\/v1$/.test(address);
  return { ...kind, base_url: isOllama ? `${address}/v1` : address };
}

function headersOf(
  params: JsonObject,
  { reader, at, owner }: {
    readonly reader: Reader;
    readonly at: (field: string) => string;
    readonly owner: ModelOwner;
  },
): AccountSettings {
  const organization = reader.text("organization");
  const headers: Record<string, string> = {};
  if (organization !== undefined && owner.vendor === "openai") {
    headers["openai-organization"] = referenceOf(organization) ?? organization;
  }
  for (const field of ["headers", "extra_headers"]) {
    for (const [name, value] of Object.entries(asObject(params[field]) ?? {})) {
      const reference = typeof value === "string" ? referenceOf(value) : undefined;
      if (reference !== undefined) headers[name.toLowerCase()] = reference;
      else reader.note(`${at(field)}.${name.slice(0, 60)} may be a secret: write it under headers`);
    }
  }
  return Object.keys(headers).length === 0 ? {} : { headers };
}

function vendorSettings(
  reader: Reader,
  { owner: { vendor }, hasBase, hasKey }: {
    readonly owner: ModelOwner;
    readonly hasBase: boolean;
    readonly hasKey: boolean;
  },
): AccountSettings {
  if (vendor === "azure") return azureSettings(reader, { hasBase, hasKey });
  if (vendor === "bedrock") return bedrockSettings(reader, hasKey);
  if (vendor !== "vertex") return {};
  const told = reader.text("vertex_credentials");
  return {
    project: plainText(reader, "vertex_project", "PROJECT"),
    location: plainText(reader, "vertex_location", "global"),
    credentials: told?.startsWith("/") === true
      ? `file:${told}`
      : reader.secret("vertex_credentials", "google") ?? "env:GOOGLE_CREDENTIALS",
  };
}

function azureSettings(
  reader: Reader,
  { hasBase, hasKey }: { readonly hasBase: boolean; readonly hasKey: boolean },
): AccountSettings {
  const version = reader.text("api_version");
  const secret = reader.secret("client_secret", "azure");
  const id = reader.secret("client_id", "azure");
  const tenant = reader.text("tenant_id");
  const isEntra = secret !== undefined && id !== undefined && tenant !== undefined;
  return {
    ...(!hasBase && { base_url: "https://RESOURCE.openai.azure.com" }),
    ...(!hasKey && { api_key: isEntra ? undefined : "env:AZURE_API_KEY" }),
    ...(isEntra && {
      entra: {
        tenant: plainText(reader, "tenant_id", "TENANT"),
        client_id: id,
        client_secret: secret,
      },
    }),
    ...(version !== undefined && /^\d{4}-\d\d-\d\d/.test(version) && {
      azure_paths: "deployments",
      api_version: version,
    }),
  };
}

function bedrockSettings(reader: Reader, hasKey: boolean): AccountSettings {
  const id = reader.secret("aws_access_key_id", "bedrock");
  const secret = reader.secret("aws_secret_access_key", "bedrock");
  const token = reader.secret("aws_session_token", "bedrock");
  const region = plainText(reader, "aws_region_name", "us-east-1");
  if (hasKey) return { aws_region: region };
  if (id === undefined || secret === undefined) {
    reader.note(
      "Bedrock is asked with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: roles, profiles and the " +
        "machine's own keys have no equal here",
    );
  }
  return {
    aws_region: region,
    // The preset's own key.
    api_key: undefined,
    aws: {
      access_key_id: id ?? "env:AWS_ACCESS_KEY_ID",
      secret_access_key: secret ?? "env:AWS_SECRET_ACCESS_KEY",
      ...(token !== undefined && { session_token: token }),
    },
  };
}

/** What is no secret, and cannot be in a variable here. */
function plainText(reader: Reader, field: string, otherwise: string): string {
  const told = reader.text(field);
  if (told === undefined) return otherwise;
  const variable = referenceOf(told)?.slice("env:".length);
  if (variable === undefined) return told;
  reader.note(`${field} is in the variable ${variable}: write its value`);
  return otherwise;
}
