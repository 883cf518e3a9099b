/**
 * What is worth knowing of each vendor that no table of the program says: Markdown, for its page.
 *
 * @module
 */

/** Its own section of the page on dialects, where it has one. */
const DIALECTS = "../vendors.md";

/** By the vendor's name. A vendor without a row fails `deno task docs`. */
export const VENDOR_NOTES: Readonly<Record<string, readonly string[]>> = {
  anthropic: [
    "`/v1/messages` goes through as it came: only the model's name is swapped, and what the route " +
    "sets. Chat and Responses are converted.",
    "Reads of its cache, writes to it and writes for an hour have prices of their own, and are " +
    "counted apart.",
    "A server that speaks Messages, such as Claude in Azure's Foundry, is a provider of kind " +
    "`anthropic` with a `base_url`.",
    "There are no embeddings, images, sounds or films.",
  ],
  openai: [
    "`/v1/responses` goes through as it came, with kept answers where the client asks for them.",
    "A chat's output limit is sent as `max_completion_tokens`, whichever name the caller used.",
    "The hosted Videos API ended on 2026-09-24: films are for [engines of your own](../engines/README.md).",
  ],
  gemini: [
    "Asked in Google's own dialect, with tools, pictures, sounds, files, thoughts and embeddings; " +
    `images, and Veo's films: [how, and with which limits](${DIALECTS}#googles-gemini).`,
    "A film that Google's filters keep back has failed and is not charged.",
  ],
  vertex: [
    "The models of Gemini and Anthropic's beside them, by a service account: " +
    `[Google's Gemini](${DIALECTS}#googles-gemini).`,
    "Without `--location` it is asked in `global`.",
  ],
  azure: [
    "A route's `upstream_model` is the deployment, so `--models` names deployments. Entra tokens, " +
    `previews and the older paths: [Azure](${DIALECTS}#azure).`,
    "What the content filter refuses is the caller's own fault, and is tried nowhere else.",
  ],
  bedrock: [
    "One provider is one region. Converse for every model, `bedrock_api: openai` or `anthropic` for " +
    `those that Bedrock offers so, keys of Bedrock's own or signatures: [Amazon Bedrock](${DIALECTS}#amazon-bedrock).`,
    "By Converse, pictures and files have to come as data, not as addresses.",
  ],
  openrouter: [
    "All of its models at once: callers name them as OpenRouter does (`vendor/model`), and each costs " +
    "what the list of prices says of it. One that the list does not have is refused: " +
    "[wildcards](../catalogue.md#names-that-only-the-upstream-knows).",
    "`tollgate providers models openrouter --prices` reads its own list of prices, which " +
    "`tollgate prices update` takes.",
    "Code that was written for OpenRouter works against Tollgate: " +
    "[its fields](../clients.md#code-written-for-openrouter).",
  ],
  groq: [
    "It tells its counts in the chunk that ends the stream, and again under `x_groq`: they are counted " +
    "once.",
  ],
  mistral: [
    "Models that think answer with a list of parts in the place of a text: clients get text and " +
    "thoughts apart.",
  ],
  deepseek: [
    "It tells reads of its cache twice, under two names: they are counted once, at `cached_input`.",
  ],
  xai: [
    "Some of its models tell thoughts outside of the completion's tokens, and reads of the cache " +
    "outside of the prompt's: both are added, so that neither is given away.",
  ],
  together: [
    "What the list of prices does not have is added by `--models`, and is priced by hand.",
  ],
  fireworks: [
    "Its models' names are long (`accounts/fireworks/models/…`): an alias is what callers write.",
    "What the list of prices does not have is added by `--models`, and is priced by hand.",
  ],
  ollama: [
    "Its models are free unless a route says otherwise. `--models` names them as `ollama list` does.",
    "Its context is short unless the server is told otherwise (`OLLAMA_CONTEXT_LENGTH`); long prompts " +
    "are cut there without a word.",
  ],
  vllm: [
    "Its models are free unless a route says otherwise. `--models` names what it was started with, or " +
    "its `--served-model-name`.",
    "Another machine: `--base-url http://10.0.0.7:8000/v1`. Several cards: several providers, each " +
    "with a route of the same model ([a GPU box](../guides/gpu-box.md)).",
  ],
  lmstudio: [
    "Its models are free unless a route says otherwise. Its server has to be switched on in its " +
    "Developer tab.",
  ],
};
