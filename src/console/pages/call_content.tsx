/**
 * What a call said, as a conversation. All of it is somebody else's text, and stays text.
 *
 * @module
 */

import { type CallContent, showContent } from "../../admin/call_content.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { showPage } from "../frame/page.tsx";
import { Facts, Moment } from "../parts/table.tsx";

export async function showCallContent(context: ConsoleContext): Promise<Response> {
  const id = context.req.param("request_id") ?? "";
  const content = await context.var.admin.call(showContent, { request_id: id });
  return await showPage(context, { title: "Conversation" }, <Content content={content} />);
}

const STATES: { readonly [state in CallContent["state"]]: string } = {
  complete: "complete",
  left: "its caller went away before the end",
  refused: "refused, or failed",
};

function Content({ content }: { readonly content: CallContent }) {
  const redacted = Object.entries(content.redacted).map(([name, count]) => `${count} ${name}`);
  return (
    <>
      <Facts
        facts={[
          [
            "Call",
            <a href={`/console/calls/${encodeURIComponent(content.request_id)}`}>
              <code>{content.request_id}</code>
            </a>,
          ],
          ["Project", content.project],
          ["Model", content.model],
          ["Answer", `${STATES[content.state]}, status ${content.status}`],
          ["At", <Moment at={content.at} />],
          ["Kept until", <Moment at={content.expires_at} />],
          ["Redacted", redacted.join(", ")],
          ["Cut", content.cut ? "Something was too long to keep" : null],
        ]}
      />
      <ol class="turns">
        {content.conversation.map(({ role, blocks }) => (
          <li class={`turn ${/^\w{1,20}$/.test(role) ? role : ""}`}>
            <h2>{role}</h2>
            {blocks.map((block) => <BlockView {...block} />)}
          </li>
        ))}
      </ol>
      {content.conversation.length === 0 && <p class="sheet quiet">Nothing was said.</p>}
    </>
  );
}

type Block = CallContent["conversation"][number]["blocks"][number];

function BlockView({ kind, text, name }: Block) {
  switch (kind) {
    case "text":
      return <p class="said">{text}</p>;
    case "media":
      return (
        <p>
          <span class="chip">{text}</span>
        </p>
      );
    case "refusal":
      return <p class="said notice warn">{text}</p>;
    case "thinking":
      return <Folded title="Thinking" text={text} />;
    case "tool_call":
      return <Folded title={`Calls ${name ?? "a tool"}`} text={text} isOpen />;
    case "tool_result":
      return <Folded title="Result of a tool" text={text} isOpen />;
    case "other":
      return <Folded title="Something else" text={text} />;
  }
}

function Folded(
  { title, text, isOpen = false }: {
    readonly title: string;
    readonly text: string;
    readonly isOpen?: boolean;
  },
) {
  return (
    <details open={isOpen}>
      <summary>{title}</summary>
      <p class="said">{text}</p>
    </details>
  );
}
