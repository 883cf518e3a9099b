/**
 * The pages of who is not signed in yet.
 *
 * @module
 */

import { Document, NoticeBox } from "../frame/page.tsx";
import type { Notice } from "../frame/notice.ts";

interface EntryParts {
  readonly notice?: Notice | undefined;
}

interface SignInParts extends EntryParts {
  readonly hasKey: boolean;
  /** Who signs people in besides; `undefined` for nobody. */
  readonly issuer: string | undefined;
  /** The page to land on. */
  readonly next?: string;
}

/** Leads to the issuer, asks for the admin key, or says how to get a link. */
export function SignInPage({ notice, hasKey, issuer, next = "/console" }: SignInParts) {
  return (
    <Document title="Sign in">
      <main class="entry">
        <h1>Tollgate</h1>
        {notice && <NoticeBox {...notice} />}
        {issuer !== undefined && (
          <p class="sheet">
            <a class="button main" href={`/console/oidc?next=${encodeURIComponent(next)}`}>
              {`Sign in with ${issuer}`}
            </a>
          </p>
        )}
        <div class="sheet">
          <p>On the gateway's machine, this prints a link that signs you in once:</p>
          <pre><code>tollgate console</code></pre>
        </div>
        {hasKey
          ? (
            <form method="post" action="/console/sign-in" class="sheet">
              <input type="hidden" name="next" value={next} />
              <label>
                Or the admin key, or a token of administration
                <input
                  type="password"
                  name="admin_key"
                  autocomplete="current-password"
                  required
                />
              </label>
              <button type="submit" class="main">Sign in</button>
            </form>
          )
          : (
            <p class="quiet">
              To sign in with a token too, make one: tollgate tokens create --role owner --name NAME
            </p>
          )}
        <p class="quiet">
          Callers find <a href="/docs">the API's reference</a> without signing in.
        </p>
      </main>
    </Document>
  );
}

/** What a link leads to: who only looks at links, as mail programs do, uses none up. */
export function EnterPage({ code }: { readonly code: string }) {
  return (
    <Document title="Sign in">
      <main class="entry">
        <h1>Tollgate</h1>
        <form method="post" action="/console/enter" class="sheet">
          <p>This link signs you in once, for twelve hours.</p>
          <input type="hidden" name="code" value={code} />
          <button type="submit" class="main" autofocus>Sign in</button>
        </form>
      </main>
    </Document>
  );
}
