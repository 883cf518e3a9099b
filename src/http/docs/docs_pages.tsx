/**
 * The pages of the reference: the list with its search, an operation, and the errors. They have no
 * script and load nothing but their style sheet.
 *
 * @module
 */

import { raw } from "@hono/hono/html";
import type { Child } from "@hono/hono/jsx";
import { ERROR_TABLE, type ErrorName, type ErrorRow } from "../../errors.ts";
import { VERSION } from "../../version.ts";
import { piecesOf } from "./code_text.ts";
import type { Field } from "./described.ts";
import { ERROR_ADVICE } from "./error_advice.ts";
import { type Bearer, curlOf } from "./examples.ts";
import { searchOperations, type ShownOperation } from "./shown_operations.ts";

/** One of the two references. */
export interface Reference {
  readonly title: string;
  /** Where it is read. */
  readonly home: "/docs" | "/console/docs";
  /** Where the same stands for programs. */
  readonly document: string;
  readonly about: string;
  readonly bearer: Bearer;
  readonly operations: readonly ShownOperation[];
}

/** What every page knows. */
export interface Around {
  /** Where callers reach the gateway, without a slash at its end. */
  readonly baseUrl: string;
  readonly hasConsole: boolean;
  readonly stylePath: string;
}

const DOCTYPE = raw("<!DOCTYPE html>");

/** A page of the reference. */
export function DocsPage(
  { title, here, around: { hasConsole, stylePath }, children }: {
    readonly title: string;
    /** The place in the menu that it is of. */
    readonly here: string;
    readonly around: Around;
    readonly children?: Child;
  },
) {
  const places = [
    ["/docs", "API"],
    ...(hasConsole ? [["/console/docs", "Admin API"]] : []),
    ["/docs/errors", "Errors"],
    ["/openapi.json", "OpenAPI"],
    ...(hasConsole ? [["/console", "Console"]] : []),
  ] as const;
  return (
    <>
      {DOCTYPE}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <title>{`${title} · Tollgate`}</title>
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <link rel="icon" href="data:," />
          <link rel="stylesheet" href={stylePath} />
        </head>
        <body>
          <a class="skip" href="#content">To the content</a>
          <header>
            <nav aria-label="Pages">
              <span class="name">{`Tollgate ${VERSION}`}</span>
              {places.map(([path, name]) => (
                <a href={path} aria-current={path === here ? "page" : undefined}>{name}</a>
              ))}
            </nav>
          </header>
          <main id="content">
            <h1>{title}</h1>
            {children}
          </main>
        </body>
      </html>
    </>
  );
}

/** All operations, or those that a search finds. */
export function ListPage(
  { reference, question, around }: {
    readonly reference: Reference;
    readonly question: string;
    readonly around: Around;
  },
) {
  const { title, home, document, about, operations } = reference;
  const found = searchOperations(operations, question);
  const isSearch = question.trim() !== "";
  const groups = isSearch
    ? [[`Found: ${found.length}`, found] as const]
    : [...Map.groupBy(found, ({ group }) => group)];
  return (
    <DocsPage title={title} here={home} around={around}>
      <p>
        <Text>{about}</Text> The same for programs: <a href={document}>{document}</a>.
      </p>
      <form method="get" action={home} role="search">
        <label for="q">Words of a path, a field, an error or what it does</label>
        <input id="q" name="q" type="search" value={question} maxlength={200} />
        <button type="submit">Search</button>
      </form>
      {groups.map(([name, members]) => (
        <section>
          <h2>{name}</h2>
          {members.length === 0
            ? <p>Nothing has all of these words: try fewer.</p>
            : (
              <ul class="list">
                {members.map(({ operation: { operationId, method, path, summary } }) => (
                  <li>
                    <a href={`${home}?operation=${encodeURIComponent(operationId)}`}>
                      <code>{`${method} ${path}`}</code>
                    </a>
                    <span class="quiet">
                      <Text>{summary}</Text>
                    </span>
                  </li>
                ))}
              </ul>
            )}
        </section>
      ))}
    </DocsPage>
  );
}

/** All about one operation. */
export function OperationPage(
  { reference: { home, title, bearer }, shown, around }: {
    readonly reference: Reference;
    readonly shown: ShownOperation;
    readonly around: Around;
  },
) {
  const { operation, takes, answers, answerTypes } = shown;
  const { method, path, summary, description, security, requestBody, responses } = operation;
  const { 200: done, ...others } = responses;
  const isPublic = security?.length === 0;
  return (
    <DocsPage title={`${method} ${path}`} here={home} around={around}>
      <p>
        <a href={home}>{title}</a>
      </p>
      <p>
        <Text>{sentence(summary)}</Text> <Text>{description ?? ""}</Text>
        {isPublic && " It wants no key."}
      </p>
      <pre><code>{curlOf(operation, { baseUrl: around.baseUrl, bearer })}</code></pre>
      {takes.length > 0 && (
        <section>
          <h2>Takes</h2>
          {requestBody !== undefined && <Types names={Object.keys(requestBody.content)} />}
          <Fields fields={takes} hasPlaces />
        </section>
      )}
      <section>
        <h2>Answers</h2>
        <p>
          {`200: ${sentence(done?.description ?? "Done")} `}
        </p>
        <Types names={answerTypes} />
        {answers.length > 0 && <Fields fields={answers} />}
      </section>
      {Object.keys(others).length > 0 && (
        <section>
          <h2>Other answers</h2>
          <dl>
            {Object.entries(others).map(([status, { description: says }]) => (
              <>
                <dt>
                  <a href={`/docs/errors#status-${status}`}>{status}</a>
                </dt>
                <dd>{says}</dd>
              </>
            ))}
          </dl>
        </section>
      )}
    </DocsPage>
  );
}

/** The one table of errors, with what to do about each. */
export function ErrorsPage({ around }: { readonly around: Around }) {
  const rows = (Object.keys(ERROR_TABLE) as ErrorName[]).map((name) => ({
    row: ERROR_TABLE[name] as ErrorRow,
    advice: ERROR_ADVICE[name],
  })).toSorted((a, b) => a.row.status - b.row.status);
  return (
    <DocsPage title="Errors" here="/docs/errors" around={around}>
      <p>
        An error is <code>{`{"error": {"message", "type", "param", "code"}}`}</code>; callers of
        {" "}
        <code>/v1/messages</code> get Anthropic's form. <code>error.routes</code>{" "}
        has the routes that were considered, where there were any.
      </p>
      {[...Map.groupBy(rows, ({ row }) => row.status)].map(([status, members]) => (
        <section>
          <h2 id={`status-${status}`}>{status}</h2>
          <dl>
            {members.map(({ row, advice }) => (
              <>
                <dt>
                  <code>{row.code}</code>{" "}
                  <span class="quiet">
                    {row.type}
                    {row.neverRetry === true && ", no repeat succeeds"}
                  </span>
                </dt>
                <dd>
                  <Text>{advice.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1")}</Text>
                </dd>
              </>
            ))}
          </dl>
        </section>
      ))}
    </DocsPage>
  );
}

/** Said where something is asked for that is not there. */
export function NothingPage({ around, here }: { readonly around: Around; readonly here: string }) {
  return (
    <DocsPage title="Nothing here" here={here} around={around}>
      <p>
        There is no such page: <a href={here}>the list</a> has all of them.
      </p>
    </DocsPage>
  );
}

function Types({ names }: { readonly names: readonly string[] }) {
  return names.length === 0 ? null : (
    <p class="quiet">
      {names.map((name, at) => (
        <>
          {at > 0 && " or "}
          <code>{name}</code>
        </>
      ))}
    </p>
  );
}

function Fields(
  { fields, hasPlaces = false }: {
    readonly fields: readonly Field[];
    readonly hasPlaces?: boolean;
  },
) {
  return (
    <dl>
      {fields.map(({ name, place, type, meaning }) => (
        <>
          <dt>
            <code>{name}</code>{" "}
            <span class="quiet">
              {hasPlaces && place !== "body" && `in the ${place}, `}
              <Text>{type}</Text>
            </span>
          </dt>
          <dd>
            <Text>{meaning}</Text>
          </dd>
        </>
      ))}
    </dl>
  );
}

/** Text in which code is marked. */
function Text({ children }: { readonly children: string }) {
  return (
    <>
      {piecesOf(children).map(({ text, isCode }) => isCode ? <code>{text}</code> : text)}
    </>
  );
}

function sentence(text: string): string {
  return text.replace(/[.:]?$/, ".");
}
