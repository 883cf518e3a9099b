// A conversation that goes on: what was said so far, which the next call sends before its own prompt,
// and what the tools gave that the model has asked for. It lives as long as the page.
import { choosePictures, picture, picturesIn } from "./play_pictures.js";

const box = document.getElementById("turns");
const list = box?.querySelector("ol");
const sum = box?.querySelector("[data-sum]");
const results = box?.querySelector("[data-results]");
const UNITS = 100_000_000n;

let messages = [];
let spent = 0n;
let currency = "";

box?.querySelector("[data-anew]").addEventListener("click", () => {
  [messages, spent] = [[], 0n];
  show();
});

// What the next call sends before its own prompt.
export function turnsSoFar() {
  const tools = [...(results?.querySelectorAll("textarea") ?? [])].map((area) => ({
    role: "tool",
    tool_call_id: area.dataset.call,
    content: area.value,
  }));
  return [...messages, ...tools];
}

// Whether a call may say nothing of its own: the results of tools are what the model waits for.
export function isToolsTurn() {
  return askedTools().length > 0;
}

// Goes on from an answer: to what it was asked, which begins with what was so far.
export function goOn(asked, answer, pricing) {
  messages = [...asked.filter(({ role }) => role !== "system"), answer];
  if (pricing) {
    spent += units(pricing.sale_amount);
    currency = pricing.currency;
  }
  show();
}

function askedTools() {
  return messages.at(-1)?.tool_calls ?? [];
}

function show() {
  box.hidden = messages.length === 0;
  list.replaceChildren(...messages.map(turnOf));
  const at = messages.findLastIndex(({ role }) => role === "user");
  if (at >= 0) list.children[at].append(" ", editButton(at));
  results.replaceChildren(...askedTools().map(resultField));
  sum.textContent = currency === "" ? "" : `These answers cost ${amount(spent)} ${currency}`;
  const { prompt } = document.querySelector("form[data-play]").elements;
  prompt.required = !isToolsTurn();
  prompt.value = "";
  // What was sent along is part of the conversation, and is not sent twice.
  choosePictures([]);
  (results.querySelector("textarea") ?? prompt).focus();
}

// Takes the turn back and what came after it, to be asked in other words. What was paid stays paid.
function editButton(at) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Edit";
  button.setAttribute("aria-label", "Edit what was asked last");
  button.addEventListener("click", () => {
    const asked = messages[at];
    messages = messages.slice(0, at);
    show();
    const { prompt } = document.querySelector("form[data-play]").elements;
    prompt.value = Array.isArray(asked.content)
      ? asked.content.filter(({ type }) => type === "text").map(({ text }) => text).join("\n")
      : asked.content;
    choosePictures(picturesIn([asked]));
    prompt.focus();
  });
  return button;
}

function turnOf({ role, content, tool_calls: calls = [] }) {
  const turn = document.createElement("li");
  const who = document.createElement("strong");
  who.textContent = role;
  const said = document.createElement("span");
  said.className = "said";
  said.textContent = [
    textOf(content),
    ...calls.map(({ function: { name, arguments: given } }) => `${name}(${given})`),
  ].filter((text) => text !== "").join("\n");
  turn.append(who, " ", said);
  const seen = picturesIn([{ content }]).map((address) =>
    picture(address, "A picture of this turn")
  );
  turn.append(...seen);
  return turn;
}

function textOf(content) {
  if (!Array.isArray(content)) return content ?? "";
  return content.map((part) => part.type === "text" ? part.text : "(an image)").join("\n");
}

function resultField({ id, function: { name, arguments: given } }) {
  const label = document.createElement("label");
  label.textContent = `What ${name}(${given}) gives`;
  const area = document.createElement("textarea");
  area.rows = 2;
  area.dataset.call = id;
  area.required = true;
  label.append(area);
  return label;
}

// Amounts have eight decimals, which no number holds exactly.
function units(text) {
  const [whole, part = ""] = text.split(".");
  return BigInt(whole) * UNITS + BigInt(part.padEnd(8, "0"));
}

function amount(value) {
  return `${value / UNITS}.${String(value % UNITS).padStart(8, "0")}`;
}
