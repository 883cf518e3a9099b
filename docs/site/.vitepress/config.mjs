/**
 * The documents as a site. `deno task docs:site` copies them beside this file; nothing of the site is
 * fetched from elsewhere, neither while it is built nor while it is read.
 */

const pages = (folder, names) =>
  Object.entries(names).map(([name, text]) => ({
    text,
    link: `/docs/${folder}${name}`,
  }));

export default {
  title: "Tollgate",
  description: "An OpenAI-compatible gateway in front of many model providers",
  base: process.env.TOLLGATE_DOCS_BASE ?? "/",
  srcDir: "pages",
  outDir: "site",
  rewrites: {
    "README.md": "index.md",
    "docs/clients/README.md": "docs/clients/index.md",
    "docs/reference/README.md": "docs/reference/index.md",
    "docs/vendors/README.md": "docs/vendors/index.md",
    "docs/engines/README.md": "docs/engines/index.md",
  },
  // Addresses of this machine are examples; every other dead link ends the build.
  ignoreDeadLinks: "localhostLinks",
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "First steps", link: "/docs/start" },
      { text: "Clients", link: "/docs/clients/" },
      { text: "Reference", link: "/docs/reference/" },
    ],
    sidebar: [
      {
        text: "Begin",
        items: pages("", {
          start: "First steps",
          install: "Install and update",
        }).concat(
          pages("guides/", {
            team: "A team on a VM",
            "gpu-box": "A GPU box",
            laptop: "A laptop",
            "to-a-server": "To a database server",
            nodes: "Several nodes",
            "from-litellm": "From LiteLLM",
            "from-one-api": "From one-api",
          }),
        ),
      },
      {
        text: "Clients",
        collapsed: true,
        items: pages("clients/", {
          "": "All clients",
          "openai-python": "OpenAI, Python",
          "openai-node": "OpenAI, Node",
          anthropic: "Anthropic",
          "claude-code": "Claude Code",
          codex: "Codex",
          "open-webui": "Open WebUI",
          librechat: "LibreChat",
          "ai-sdk": "AI SDK",
          langchain: "LangChain",
          llamaindex: "LlamaIndex",
          continue: "Continue",
          cursor: "Cursor",
        }),
      },
      {
        text: "Calls",
        items: pages("", {
          clients: "How it is called",
          endpoints: "Endpoints",
          requests: "Requests",
          videos: "Films",
          "video-tasks": "A film's states",
        }),
      },
      {
        text: "What is called",
        items: pages("", {
          catalogue: "Catalogue",
          vendors: "Google, Azure, Amazon",
        }),
      },
      {
        text: "Engines of films",
        collapsed: true,
        items: pages("engines/", {
          "": "All engines",
          renderer: "The renderer inside",
          "vllm-omni": "vLLM-Omni",
          sglang: "SGLang Diffusion",
          localai: "LocalAI",
          dynamo: "NVIDIA Dynamo",
          veo: "Google's Veo",
          another: "Another engine",
        }),
      },
      {
        text: "Vendors",
        collapsed: true,
        items: pages("vendors/", {
          "": "All vendors",
          anthropic: "Anthropic",
          azure: "Azure OpenAI",
          bedrock: "Amazon Bedrock",
          deepseek: "DeepSeek",
          fireworks: "Fireworks",
          gemini: "Google Gemini (AI Studio)",
          groq: "Groq",
          lmstudio: "LM Studio on this machine",
          mistral: "Mistral",
          ollama: "Ollama on this machine",
          openai: "OpenAI",
          openrouter: "OpenRouter",
          together: "Together",
          vertex: "Google Vertex AI",
          vllm: "vLLM on this machine",
          xai: "xAI",
        }),
      },
      {
        text: "Run it",
        items: pages("", {
          operating: "Operating",
          administration: "Roles and tokens",
          money: "Money and limits",
          "kept-prompts": "Kept prompts",
          commands: "Commands",
          figures: "Figures",
          speed: "Speed",
        }),
      },
      {
        text: "Reference",
        collapsed: true,
        items: pages("reference/", {
          settings: "Settings",
          commands: "Commands",
          catalogue: "Catalogue file",
          api: "API",
          "admin-api": "Admin API",
          errors: "Errors",
          metrics: "Metrics",
        }),
      },
      {
        text: "The project",
        items: [
          { text: "Architecture", link: "/docs/architecture" },
          { text: "Contributing", link: "/CONTRIBUTING" },
          { text: "Security", link: "/SECURITY" },
          { text: "Changelog", link: "/CHANGELOG" },
        ],
      },
    ],
  },
};
