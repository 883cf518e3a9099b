/**
 * Both references, each read from its document when it is first asked for.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { onDemand } from "../../domain/on_demand.ts";
import { ErrorsPage, ListPage, NothingPage, OperationPage, type Reference } from "./docs_pages.tsx";
import { showOperations } from "./shown_operations.ts";

/** What the pages are made of. */
export interface DocsParts {
  /** Where callers reach the gateway. */
  readonly baseUrl: () => string;
  readonly hasConsole: boolean;
  /** Documents of a part of the API each. */
  readonly api: Iterable<() => object>;
  readonly administration: () => Promise<Iterable<() => object>>;
}

interface Asked {
  readonly operation?: string | undefined;
  readonly q?: string | undefined;
}

const STYLE = new URL("./assets/docs.css", import.meta.url);
/** Of a question; what is longer is cut. */
const MOST_CHARACTERS = 200;

/** Makes them. */
export async function createDocs({ baseUrl, hasConsole, ...documents }: DocsParts) {
  const style = await Deno.readTextFile(STYLE);
  const mark = createHash("sha256").update(style).digest("base64url").slice(0, 12);
  const stylePath = `/docs/assets/docs.css?${mark}`;
  const around = () => ({ baseUrl: baseUrl(), hasConsole, stylePath });

  const api = onDemand(async (): Promise<Reference> => ({
    title: "The API",
    home: "/docs",
    document: "/openapi.json",
    about: "What callers ask for. Every path below `/v1` is there below `/api/gateway/v1` too.",
    bearer: "sk-tg-…",
    operations: await showOperations(documents.api),
  }));
  const administration = onDemand(async (): Promise<Reference> => ({
    title: "The admin API",
    home: "/console/docs",
    document: "/admin/v1/openapi.json",
    about: "What operators ask for, on the control socket, and with the admin key or a token of " +
      "administration at this address.",
    bearer: "$TOLLGATE_ADMIN_KEY",
    operations: await showOperations(await documents.administration()),
  }));

  function show(reference: Reference, { operation, q = "" }: Asked) {
    if (operation === undefined) {
      const question = q.slice(0, MOST_CHARACTERS);
      return page(<ListPage reference={reference} question={question} around={around()} />);
    }
    const shown = reference.operations.find((one) => one.operation.operationId === operation);
    return shown === undefined
      ? page(<NothingPage here={reference.home} around={around()} />, 404)
      : page(<OperationPage reference={reference} shown={shown} around={around()} />);
  }

  return {
    style,
    stylePath,
    errors: () => page(<ErrorsPage around={around()} />),
    api: async (asked: Asked) => await show(await api(), asked),
    administration: async (asked: Asked) => await show(await administration(), asked),
  };
}

async function page(
  content: { toString(): string | Promise<string> },
  status: 200 | 404 = 200,
): Promise<{ readonly status: 200 | 404; readonly html: string }> {
  return { status, html: String(await content.toString()) };
}
