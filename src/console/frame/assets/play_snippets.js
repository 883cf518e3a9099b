// The request of a page as somebody would make it elsewhere. The key is never in it: it is read from the
// environment, by this name.
const KEY = "TOLLGATE_API_KEY";

// What OpenAI's clients take by name; everything else goes along as further fields.
const KNOWN = {
  "chat/completions": [
    "model",
    "messages",
    "temperature",
    "max_tokens",
    "tools",
    "stream",
    "stream_options",
  ],
  embeddings: ["model", "input", "encoding_format"],
  "images/generations": ["model", "prompt", "size", "n"],
  videos: ["model", "prompt", "size", "seconds"],
};
const METHODS = {
  "chat/completions": "chat.completions.create",
  embeddings: "embeddings.create",
  "images/generations": "images.generate",
  videos: "videos.create",
};
const TYPES = {
  "chat/completions": "Chat.ChatCompletionCreateParams",
  embeddings: "EmbeddingCreateParams",
  "images/generations": "ImageGenerateParams",
  videos: "VideoCreateParams",
};

// In single quotes a shell reads everything as it is, but a single quote.
function shellText(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function curlOf({ baseUrl, path, body }) {
  return [
    `curl ${body.stream === true ? "-N " : ""}${shellText(`${baseUrl}/${path}`)} \\`,
    `  -H "Authorization: Bearer $${KEY}" \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d ${shellText(JSON.stringify(body, null, 2))}`,
  ].join("\n");
}

// JSON's texts are Python's; its three words are others.
function pythonValue(value, indent) {
  const inner = `${indent}    `;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[\n${value.map((one) => `${inner}${pythonValue(one, inner)},\n`).join("")}${indent}]`;
  }
  if (typeof value === "object") {
    const members = Object.entries(value);
    if (members.length === 0) return "{}";
    const lines = members.map(([name, one]) =>
      `${inner}${JSON.stringify(name)}: ${pythonValue(one, inner)},\n`
    );
    return `{\n${lines.join("")}${indent}}`;
  }
  return JSON.stringify(value);
}

export function pythonOf({ baseUrl, path, body }) {
  const known = KNOWN[path];
  const further = Object.fromEntries(
    Object.entries(body).filter(([name]) => !known.includes(name)),
  );
  const given = known.filter((name) => body[name] !== undefined)
    .map((name) => `    ${name}=${pythonValue(body[name], "    ")},\n`);
  if (Object.keys(further).length > 0) {
    given.push(`    extra_body=${pythonValue(further, "    ")},\n`);
  }
  return `import os

from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key=os.environ["${KEY}"])
answer = client.${METHODS[path]}(
${given.join("")})
${pythonEnd(path, body)}
`;
}

function pythonEnd(path, { stream }) {
  if (stream === true) {
    return `for chunk in answer:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="", flush=True)`;
  }
  return path === "chat/completions"
    ? "print(answer.choices[0].message.content)"
    : "print(answer.model_dump_json(indent=2)[:2000])";
}

export function typescriptOf({ baseUrl, path, body }) {
  const streaming = path === "chat/completions"
    ? body.stream === true ? "Streaming" : "NonStreaming"
    : "";
  const end = path !== "chat/completions"
    ? "console.log(answer);"
    : body.stream === true
    ? 'for await (const { choices } of answer) process.stdout.write(choices[0]?.delta.content ?? "");'
    : "console.log(answer.choices[0]?.message.content);";
  return `import OpenAI from "openai";
import process from "node:process";

const client = new OpenAI({
  baseURL: ${JSON.stringify(baseUrl)},
  apiKey: process.env.${KEY},
});
const request = ${JSON.stringify(body, null, 2)};
const answer = await client.${METHODS[path]}(request as OpenAI.${TYPES[path]}${streaming});
${end}
`;
}
