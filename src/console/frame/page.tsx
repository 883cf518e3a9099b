/**
 * The frame of every page: where one can go, who is signed in, and what the last action did.
 *
 * @module
 */

import { raw } from "@hono/hono/html";
import type { Child } from "@hono/hono/jsx";
import { type AssetName, assetPath } from "./console_assets.ts";
import type { ConsoleContext } from "./console_env.ts";
import { menuOf } from "./doors.ts";
import type { Notice } from "./notice.ts";

const DOCTYPE = raw("<!DOCTYPE html>");

/** What a page is made of. */
export interface PageParts {
  readonly title: string;
  readonly notice?: Notice | undefined;
  /** Whether it draws charts. */
  readonly hasCharts?: boolean;
  /** What it runs besides. */
  readonly scripts?: readonly AssetName[];
  readonly status?: number;
}

/** Answers with a page of the console; with what is refused, where it is shown again for that. */
export function showPage(
  context: ConsoleContext,
  { title, notice: usual, hasCharts = false, scripts = [], status = 200 }: PageParts,
  content: Child,
): Response | Promise<Response> {
  const error = context.env.refused?.error;
  const notice = error === undefined ? usual : noticeOf(error);
  const here = new URL(context.req.url).pathname;
  return context.html(
    <Document title={title} hasCharts={hasCharts} scripts={scripts}>
      <a class="skip" href="#content">To the content</a>
      <div class="frame">
        <nav class="side" aria-label="Pages">
          <a class="name" href="/console">Tollgate</a>
          <ul>
            {menuOf(context.var.rights).map(([path, name]) => (
              <li>
                <a href={path} aria-current={isHere(path, here) ? "page" : undefined}>{name}</a>
              </li>
            ))}
          </ul>
          <form method="post" action="/console/leave">
            <input type="hidden" name="form_token" value={context.var.formToken} />
            <button type="submit">Sign out</button>
          </form>
        </nav>
        <main id="content">
          <h1>{title}</h1>
          {notice && <NoticeBox {...notice} />}
          {content}
        </main>
      </div>
    </Document>,
    (error?.row.status ?? status) as 200,
  );
}

const UNCHANGED = "Nothing was changed";

function noticeOf({ message }: Error): Notice {
  const text = message.startsWith(UNCHANGED) ? message : `${UNCHANGED}: ${message}`;
  return { kind: "bad", text };
}

function isHere(path: string, here: string): boolean {
  return path === "/console" ? here === path : here === path || here.startsWith(`${path}/`);
}

/** What is said above a page's content. */
export function NoticeBox({ kind, text }: Notice) {
  return <p class={`notice ${kind}`} role={kind === "bad" ? "alert" : "status"}>{text}</p>;
}

/** A document with the console's looks. */
export function Document(
  { title, hasCharts = false, scripts = [], children }: {
    readonly title: string;
    readonly hasCharts?: boolean;
    readonly scripts?: readonly AssetName[];
    readonly children?: Child;
  },
) {
  return (
    <>
      {DOCTYPE}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <title>{`${title} · Tollgate`}</title>
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <link rel="icon" href="data:," />
          {hasCharts && <link rel="stylesheet" href={assetPath("uplot.css")} />}
          <link rel="stylesheet" href={assetPath("console.css")} />
          <script src={assetPath("console.js")} defer />
          {hasCharts && <script src={assetPath("uplot.js")} defer />}
          {hasCharts && <script src={assetPath("charts.js")} defer />}
          {scripts.map((name) => <script type="module" src={assetPath(name)} />)}
        </head>
        <body>{children}</body>
      </html>
    </>
  );
}
