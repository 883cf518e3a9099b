"""What a program does with Anthropic's Python client; tells of it as JSON.

Arguments: the gateway's address, a project key, and the model to ask.
"""

import json
import sys

import anthropic

URL, KEY, MODEL = sys.argv[1:]
CLIENT = anthropic.Anthropic(base_url=URL, api_key=KEY, max_retries=0)
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TOOLS = [
    {
        "name": "look",
        "description": "Looks.",
        "input_schema": {"type": "object", "properties": {"where": {"type": "string"}}},
    }
]


def ask(*content, **more):
    return {
        "model": MODEL,
        "max_tokens": 2000,
        "messages": [{"role": "user", "content": list(content)}],
        **more,
    }


def text(words, **more):
    return {"type": "text", "text": words, **more}


def told(message):
    """What of an answer does not change from run to run."""
    usage = message.usage
    blocks = [block.to_dict() for block in message.content]
    return {
        "model": message.model,
        "stop": message.stop_reason,
        "types": [block["type"] for block in blocks],
        "text": "".join(block.get("text", "") for block in blocks),
        "thinking": "".join(block.get("thinking", "") for block in blocks),
        "sealed": all(block["signature"] for block in blocks if block["type"] == "thinking"),
        "inputs": [block["input"] for block in blocks if block["type"] == "tool_use"],
        "usage": [usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens],
        "route": getattr(message, "route", None),
        "price": (getattr(message, "pricing", None) or {}).get("sale_amount"),
    }


def streamed(**asked):
    kinds = []
    with CLIENT.messages.stream(**asked) as stream:
        for event in stream:
            if event.type not in kinds:
                kinds.append(event.type)
        return {**told(stream.get_final_message()), "kinds": kinds}


def with_tools(call):
    asked = ask(text("Look around"), tools=TOOLS)
    first = call(**asked)
    results = [
        {
            "type": "tool_result",
            "tool_use_id": block.id,
            "content": [text("A cat"), {"type": "image", "source": source("image/png", PIXEL)}],
        }
        for block in first.content
        if block.type == "tool_use"
    ]
    asked["messages"] += [
        {"role": "assistant", "content": [block.to_dict() for block in first.content]},
        {"role": "user", "content": results},
    ]
    return [told(first), told(call(**asked))]


def whole_stream(**asked):
    with CLIENT.messages.stream(**asked) as stream:
        return stream.get_final_message()


def source(media_type, data):
    return {"type": "base64", "media_type": media_type, "data": data}


def failing(call):
    try:
        call()
    except anthropic.APIStatusError as error:
        body = error.body if isinstance(error.body, dict) else {}
        details = body.get("error", {}).get("details") or {}
        return [type(error).__name__, error.status_code, details.get("error_code"), bool(error.request_id)]
    return None


def left_early():
    read = []
    with CLIENT.messages.create(**ask(text("Never end")), stream=True) as stream:
        for event in stream:
            read.append(event.type)
            if event.type == "content_block_delta":
                break
    return read[-1]


MARK = {"type": "ephemeral"}
PDF = {"type": "document", "title": "a.pdf", "source": source("application/pdf", "JVBERi0xLjQK")}
NOTE = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "A note"}}
PICTURES = [
    {"type": "image", "source": source("image/png", PIXEL)},
    {"type": "image", "source": {"type": "url", "url": "https://example.com/cat.png"}},
]

STORY = {
    "plain": told(CLIENT.messages.create(**ask(text("Hello"), system="Be kind"))),
    "stream": streamed(**ask(text("Hello"))),
    "tools": with_tools(CLIENT.messages.create),
    "streamed_tools": with_tools(whole_stream),
    "thinking": told(
        CLIENT.messages.create(**ask(text("Think"), thinking={"type": "enabled", "budget_tokens": 1024}))
    ),
    "streamed_thinking": streamed(
        **ask(text("Think"), thinking={"type": "enabled", "budget_tokens": 1024})
    ),
    "shown": told(
        CLIENT.messages.create(
            **ask(
                *PICTURES,
                PDF,
                NOTE,
                text("What is it?", cache_control=MARK),
                system=[text("Be kind", cache_control={**MARK, "ttl": "1h"})],
            )
        )
    ),
    "left": left_early(),
    "count": CLIENT.messages.count_tokens(
        model=MODEL, messages=[{"role": "user", "content": "Hello"}]
    ).input_tokens,
    "models": [model.id for model in CLIENT.models.list()],
    "errors": [
        failing(lambda: anthropic.Anthropic(base_url=URL, api_key="sk-tg-no", max_retries=0).messages.create(**ask(text("Hello")))),
        failing(lambda: CLIENT.messages.create(**{**ask(text("Hello")), "model": "nobody"})),
        failing(lambda: CLIENT.messages.create(**{**ask(text("Hello")), "messages": []})),
        failing(lambda: CLIENT.messages.create(**ask(text("Refuse this")))),
        failing(lambda: whole_stream(**ask(text("Refuse this")))),
    ],
}
print(json.dumps(STORY))
