// Runs what the form of the playground asks, as a key of a project, and shows what came of it. Whatever
// comes from elsewhere is put in as text.
import { chosenPictures, forgetPictures, madePicture } from "./play_pictures.js";
import { curlOf, pythonOf, typescriptOf } from "./play_snippets.js";
import { goOn, isToolsTurn, turnsSoFar } from "./play_turns.js";

const form = document.querySelector("form[data-play]");
const path = form.dataset.play;
const answers = document.getElementById("answers");
const snippet = document.getElementById("snippet");
const stopButton = form.querySelector("button[data-stop]");
const status = document.getElementById("play-status");
let running;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  run().catch((error) => say(error.message, true));
});
stopButton.addEventListener("click", () => running?.abort());
for (
  const [name, write] of [["curl", curlOf], ["python", pythonOf], ["typescript", typescriptOf]]
) {
  form.querySelector(`button[data-snippet="${name}"]`).addEventListener("click", async () => {
    try {
      const body = await bodyOf();
      snippet.textContent = write({ baseUrl: `${location.origin}/v1`, path, body });
      document.getElementById("snippets").hidden = false;
    } catch (error) {
      say(error.message, true);
    }
  });
}

function say(text, isBad = false) {
  status.textContent = text;
  status.className = text === "" ? "" : isBad ? "notice bad" : "notice";
}

function field(name) {
  return form.elements[name]?.value.trim() ?? "";
}

function given(name, value) {
  return value === "" || value === undefined ? {} : { [name]: value };
}

function number(name, label) {
  const text = field(name);
  if (text === "") return {};
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Error(`${label}: expected a number`);
  return { [name]: value };
}

function routing() {
  const models = field("models").split(/[\s,]+/).filter((one) => one !== "");
  return {
    ...given("provider", field("provider")),
    ...given("route", field("route")),
    ...(models.length > 0 && { models }),
  };
}

async function bodyOf() {
  const model = given("model", field("model"));
  switch (path) {
    case "chat/completions":
      return { ...model, ...await chatFields(), ...routing() };
    case "embeddings": {
      const input = form.elements.input.value.split("\n").filter((line) => line.trim() !== "");
      return { ...model, input, encoding_format: "float", ...routing() };
    }
    case "images/generations":
      return {
        ...model,
        prompt: form.elements.prompt.value,
        ...given("size", field("size")),
        ...number("n", "Images"),
        ...routing(),
      };
    case "videos":
      return {
        ...model,
        prompt: form.elements.prompt.value,
        ...given("size", field("size")),
        ...given("seconds", field("seconds")),
        ...given("provider", field("provider")),
        ...given("route", field("route")),
      };
  }
}

async function chatFields() {
  const system = form.elements.system.value;
  const text = form.elements.prompt.value;
  const before = turnsSoFar();
  const images = await chosenPictures(before);
  const content = images.length === 0 ? text : [
    { type: "text", text },
    ...images.map((url) => ({ type: "image_url", image_url: { url } })),
  ];
  const messages = [
    ...(system.trim() === "" ? [] : [{ role: "system", content: system }]),
    ...before,
    ...(text === "" && images.length === 0 && isToolsTurn() ? [] : [{ role: "user", content }]),
  ];
  const stream = form.elements.stream.checked;
  return {
    messages,
    ...number("temperature", "Temperature"),
    ...number("max_tokens", "Most tokens"),
    ...tools(),
    ...(stream && { stream, stream_options: { include_usage: true } }),
  };
}

function tools() {
  const text = field("tools");
  if (text === "") return {};
  try {
    const read = JSON.parse(text);
    return { tools: Array.isArray(read) ? read : [read] };
  } catch (error) {
    throw new Error(`Tools: expected JSON, a list of tools: ${error.message}`);
  }
}

async function run() {
  if (running !== undefined) return;
  const body = await bodyOf();
  const other = field("other_route");
  const bodies = other === "" ? [body] : [body, { ...body, route: other }];
  running = new AbortController();
  stopButton.disabled = false;
  answers.replaceChildren();
  forgetPictures();
  say("Running…");
  try {
    await Promise.all(bodies.map((one) => call(one, panel(one), running.signal)));
    say("Done.");
  } finally {
    running = undefined;
    stopButton.disabled = true;
  }
}

/** Where one answer goes. */
function panel(body) {
  const box = document.createElement("section");
  box.className = "sheet answer";
  const head = add(box, "h3", body.route ?? "As it is routed");
  const text = add(box, "pre", "");
  text.className = "said";
  text.tabIndex = 0;
  const facts = add(box, "dl", "");
  facts.className = "facts";
  answers.append(box);
  // What the answer is to, and what it says: it is gone on from by these.
  return { box, head, text, facts, messages: body.messages, answer: undefined };
}

function add(parent, name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  parent.append(element);
  return element;
}

function fact(place, name, value) {
  if (value === undefined || value === null || value === "") return;
  add(place.facts, "dt", name);
  const dd = add(place.facts, "dd", "");
  if (value instanceof Node) dd.append(value);
  else dd.textContent = typeof value === "string" ? value : JSON.stringify(value);
}

function link(href, text) {
  const element = document.createElement("a");
  element.href = href;
  element.textContent = text;
  return element;
}

async function call(body, place, signal) {
  const begun = performance.now();
  try {
    const answer = await fetch(`/console/play/v1/${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-form-token": form.elements.form_token.value,
        "x-play-key": form.elements.key.value,
      },
      body: JSON.stringify(body),
      redirect: "error",
      signal,
    });
    const requestId = answer.headers.get("x-request-id");
    const isStream = (answer.headers.get("content-type") ?? "").startsWith("text/event-stream");
    if (isStream) await readStream(answer, place, begun);
    else if (answer.ok) show(await answer.json(), place);
    else refuse(await answer.json(), place);
    if (place.answer !== undefined) offerToGoOn(place);
    fact(place, "Milliseconds", String(Math.round(performance.now() - begun)));
    if (requestId !== null) {
      fact(place, "Request", link(`/console/calls/${encodeURIComponent(requestId)}`, requestId));
    }
  } catch (error) {
    if (error.name === "AbortError") {
      fact(place, "Stopped", "the call was given up; what it had made until then is charged");
    } else if (error instanceof TypeError) {
      complain(place, "The gateway did not answer, or the session is over: load the page again.");
    } else throw error;
  }
}

function offerToGoOn({ box, messages, answer, pricing }) {
  const button = add(box, "button", "Go on from here");
  button.type = "button";
  button.addEventListener("click", () => {
    answers.replaceChildren();
    say("");
    goOn(messages, answer, pricing);
  });
}

function complain(place, text) {
  const said = add(place.box, "p", text);
  said.className = "notice bad said";
  said.setAttribute("role", "alert");
  place.head.after(said);
}

/** What was refused, with the routes that were looked at as the gateway names them. */
function refuse({ error }, place) {
  const code = error?.code ?? "error";
  complain(place, `${code}: ${error?.message ?? "The gateway refused it"}`);
  const { message: _message, code: _code, routes = [], ...more } = error ?? {};
  if (routes.length > 0) {
    const list = add(place.box, "ul", "");
    for (const { route, reason } of routes) {
      add(list, "li", `${route}: ${String(reason).replaceAll("_", " ")}`);
    }
  }
  for (const [name, value] of Object.entries(more)) fact(place, name, value);
}

async function readStream(answer, place, begun) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const tools = [];
  let rest = "";
  let last = {};
  let isFirst = true;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const events = (rest + value).split(/\r?\n\r?\n/);
    rest = events.pop();
    for (const event of events) {
      const data = event.split(/\r?\n/).filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trimStart()).join("\n");
      if (data === "" || data === "[DONE]") continue;
      const chunk = JSON.parse(data);
      if (chunk.error) {
        refuse(chunk, place);
        continue;
      }
      if (isFirst) fact(place, "First event, ms", String(Math.round(performance.now() - begun)));
      isFirst = false;
      last = { ...last, ...chunk };
      const delta = chunk.choices?.[0]?.delta ?? {};
      place.text.append(delta.content ?? "");
      for (const { index, id, function: part } of delta.tool_calls ?? []) {
        const tool = tools[index] ??= { id, name: "", arguments: "" };
        tool.name += part?.name ?? "";
        tool.arguments += part?.arguments ?? "";
      }
      const why = chunk.choices?.[0]?.finish_reason;
      if (why) {
        fact(place, "Ended by", why);
        place.isWhole = true;
      }
    }
  }
  showTools(place, tools);
  showFacts(last, place);
  if (place.isWhole) noteAnswer(place, place.text.textContent, tools);
}

function noteAnswer(place, text, tools) {
  const called = tools.filter((tool) => tool !== undefined);
  place.answer = {
    role: "assistant",
    content: text === "" && called.length > 0 ? null : text,
    ...(called.length > 0 && {
      tool_calls: called.map(({ id, ...tool }) => ({ id, type: "function", function: tool })),
    }),
  };
}

function showTools(place, tools) {
  for (const tool of tools) {
    if (tool !== undefined) fact(place, "Tool call", `${tool.name}(${tool.arguments})`);
  }
}

function showFacts({ provider, route, model, usage, pricing }, place) {
  fact(place, "Route", route);
  fact(place, "Provider", provider);
  fact(place, "Model", model);
  place.pricing = pricing;
  if (pricing) {
    fact(place, "Price", `${pricing.sale_amount} ${pricing.currency}`);
    fact(place, "Cost", `${pricing.cost_amount} ${pricing.currency}`);
  }
  fact(place, "Usage", usage);
}

function show(answer, place) {
  if (path === "chat/completions") {
    const { message, finish_reason: why } = answer.choices?.[0] ?? {};
    place.text.textContent = message?.content ?? "";
    const tools = (message?.tool_calls ?? []).map(({ id, function: tool }) => ({ id, ...tool }));
    showTools(place, tools);
    noteAnswer(place, message?.content ?? "", tools);
    fact(place, "Ended by", why);
  } else if (path === "embeddings") {
    place.text.replaceWith(similarities(answer.data.map(({ embedding }) => embedding)));
    fact(place, "Dimensions", String(answer.data[0]?.embedding.length ?? 0));
  } else if (path === "images/generations") {
    place.text.remove();
    for (const [at, { b64_json: base64, url }] of (answer.data ?? []).entries()) {
      if (base64 === undefined) {
        // Nothing is loaded from elsewhere.
        fact(place, "Image at", url);
        continue;
      }
      place.facts.before(madePicture(base64, at));
    }
  } else {
    place.text.remove();
    fact(place, "Task", link(`/console/videos/${encodeURIComponent(answer.id)}`, answer.id));
    fact(place, "Status", answer.status);
  }
  showFacts(answer, place);
}

/** How near each text is to each, as the cosine of their embeddings. */
function similarities(vectors) {
  const box = document.createElement("div");
  box.className = "scroll";
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "Similarities");
  const table = add(box, "table", "");
  add(table, "caption", "How near each text is to each: 1 is the same");
  const head = add(add(table, "thead", ""), "tr", "");
  add(head, "td", "");
  for (const at of vectors.keys()) add(head, "th", `Text ${at + 1}`).scope = "col";
  const rows = add(table, "tbody", "");
  for (const [at, one] of vectors.entries()) {
    const row = add(rows, "tr", "");
    add(row, "th", `Text ${at + 1}`).scope = "row";
    for (const other of vectors) add(row, "td", cosine(one, other).toFixed(4)).className = "right";
  }
  return box;
}

function cosine(one, other) {
  let [product, left, right] = [0, 0, 0];
  for (let at = 0; at < one.length; at++) {
    product += one[at] * other[at];
    left += one[at] ** 2;
    right += other[at] ** 2;
  }
  return left === 0 || right === 0 ? 0 : product / Math.sqrt(left * right);
}
