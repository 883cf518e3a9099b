/**
 * Upstreams of Anthropic's dialect that answer wrongly, and what their caller must get.
 *
 * @module
 */

import { jsonReply, rawSseReply, type Step } from "../../support/fake_upstream_reply.ts";
import {
  eventText,
  messageBody,
  messageEvents,
  messageReply,
} from "../../support/message_bodies.ts";
import { BOTH, CARELESS, type Case, numbered } from "./upstream_cases.ts";
import { wrongBodies } from "./wrong_bodies.ts";

const USAGE = { input_tokens: 10, output_tokens: 5 };
const blocksOf = (text: string) => [{ type: "text", text }];
const error = { type: "error", error: { type: "overloaded_error", message: CARELESS } };
const events = messageEvents(blocksOf("Hi"), { usage: USAGE });
/** Up to the text's end, and before the reason for the end. */
const begun = events.slice(0, -3);
const [last, stop] = events.slice(-2) as [object, object];

function endingWith(...rest: readonly (object | Step)[]) {
  return messageReply([...begun, ...rest]);
}

const PLAIN: readonly Case[] = [
  ...wrongBodies({
    answer: (usage, text = "Hi") => ({ ...messageBody(blocksOf(text), { usage: USAGE }), usage }),
    usage: USAGE,
    beginning: '{"content": [',
    counts: ["input_tokens", "output_tokens"],
  }),
  {
    name: "no content",
    reply: jsonReply({ type: "message", usage: USAGE }),
    outcome: "unavailable",
  },
  { name: "an error with a status of 200", reply: jsonReply(error), outcome: "unavailable" },
  {
    name: "events that nobody asked for",
    reply: messageReply(events),
    outcome: { text: "Hi", usage: "reported" },
  },
];

const STREAMED: readonly Case[] = [
  {
    name: "an answer in one piece",
    reply: jsonReply(messageBody(blocksOf("Hi"), { usage: USAGE })),
    outcome: { text: "Hi", usage: "reported" },
  },
  { name: "an empty stream", reply: rawSseReply([]), outcome: "unavailable" },
  { name: "an error as its first event", reply: messageReply([error]), outcome: "unavailable" },
  { name: "an error in the middle", reply: endingWith(error), outcome: { cutAfter: "Hi" } },
  { name: "a cut in the middle", reply: endingWith("cut!"), outcome: { cutAfter: "Hi" } },
  { name: "an end without a reason", reply: endingWith(), outcome: { cutAfter: "Hi" } },
  {
    name: "half an event",
    reply: endingWith(eventText(last).slice(0, 40), "cut!"),
    outcome: { cutAfter: "Hi" },
  },
  {
    name: "a cut after the reason",
    reply: endingWith(...events.slice(-3, -1), "cut!"),
    outcome: { text: "Hi", usage: "reported" },
  },
  {
    name: "events of a type that nobody knows",
    reply: endingWith({ type: "tomorrow", a: [] }, ...events.slice(-3)),
    outcome: { text: "Hi", usage: "reported" },
  },
  {
    name: "something after its stop",
    reply: endingWith(...events.slice(-3), begun.at(-1)!, stop),
    outcome: { text: "Hi", usage: "reported" },
  },
];

/** All of them. */
export const BAD_MESSAGES = numbered([...BOTH, ...PLAIN], [...BOTH, ...STREAMED]);
