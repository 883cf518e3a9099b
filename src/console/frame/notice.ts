/**
 * What an action says of itself on the page that follows it: it goes there in the address, as one of a
 * few sentences, so that nobody can make the console say something else by a link.
 *
 * @module
 */

/** Something that is said above a page. */
export interface Notice {
  readonly kind: "good" | "warn" | "bad";
  readonly text: string;
}

const DONE = {
  created: "Created.",
  changed: "Changed.",
  changed_unfit: "Changed. Of the models that it may use, one is none that there is now.",
  credited: "Credited.",
  repeated: "This reference was credited before: nothing was changed.",
  enabled: "Enabled: it may be used again.",
  disabled: "Disabled: it is refused from now on.",
  ended: "Ended: the earlier key is refused from now on.",
  resumed: "Resumed: it may spend again.",
  queue_paused: "Paused: what is under way goes on, nothing more begins there.",
  queue_resumed: "Resumed: films begin again.",
  moved: "Moved: projects take turns all the same.",
  resent: "It is sent now, under its id: look here again for what became of it.",
  deleted: "Deleted.",
  forgotten: "Forgotten: nothing of what its calls said is kept any more.",
  retried: "Ordered again: this is its new task.",
  cancelled: "Cancelled: what is under way ends, nothing more is asked for.",
} as const;

/** Those that tell of something that nobody may have meant. */
const WARNS: ReadonlySet<string> = new Set(["repeated", "changed_unfit"]);

/** What an action has done. */
export type Done = keyof typeof DONE;

/** The address of a page that says so. */
export function saying(path: string, done: Done): string {
  return `${path}${path.includes("?") ? "&" : "?"}done=${done}`;
}

/** The sentence that a page's address asks for. */
export function noticeIn(done: string | undefined): Notice | undefined {
  if (done === undefined || !Object.hasOwn(DONE, done)) return undefined;
  return { kind: WARNS.has(done) ? "warn" : "good", text: DONE[done as Done] };
}
